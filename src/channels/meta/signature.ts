import { createHmac } from "node:crypto";
import { sameSecret } from "../../domain/ids.ts";

/** The header that proves a webhook: `sha256=` and the HMAC of the body under the app's secret, in hex. */
export const SIGNATURE_HEADER = "x-hub-signature-256";

const utf8 = new TextDecoder();

export const signatureOf = (secret: string, body: string | Uint8Array): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

/** Meta's own form of a body for its signature: everything beyond U+007E as `\uXXXX`, by UTF-16 units. */
export const escapedForm = (text: string): string =>
  text.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Whether `given` signs the raw bytes or their escaped form; both take the secret. Compares in constant time. */
export function isSigned(given: string | null, body: Uint8Array, secret: string): boolean {
  if (!secret || !given) return false;
  if (sameSecret(given, signatureOf(secret, body))) return true;
  return sameSecret(given, signatureOf(secret, escapedForm(utf8.decode(body))));
}
