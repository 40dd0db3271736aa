import { createHmac } from "node:crypto";
import { sameSecret } from "gangway-messenger/ids";

/** The header that proves a webhook: `sha256=` and the HMAC of the body under the app's secret, in hex. */
export const SIGNATURE_HEADER = "x-hub-signature-256";

const utf8 = new TextDecoder();

export const signatureOf = (secret: string, body: string | Uint8Array): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

/** UTF-16 units escaped at a time, and hexadecimal digits. */
const CHUNK = 16_384;
const DIGITS = Buffer.from("0123456789abcdef");
const [BACKSLASH, LETTER_U, LAST_PLAIN] = [0x5c, 0x75, 0x7e];

/**
 * Meta's form of a body for its signature: everything beyond U+007E as `\uXXXX`, by UTF-16 units. In chunks, each valid
 * until the next: anybody can send 3 MiB, and a regular expression would block the process for a second.
 */
export function* escapedForm(text: string): Generator<Buffer> {
  const chunk = Buffer.allocUnsafe(CHUNK * 6);
  for (let from = 0; from < text.length; from += CHUNK) {
    let end = 0;
    for (let at = from; at < Math.min(from + CHUNK, text.length); at++) {
      const unit = text.charCodeAt(at);
      if (unit <= LAST_PLAIN) chunk[end++] = unit;
      else end = writeEscaped(chunk, end, unit);
    }
    yield chunk.subarray(0, end);
  }
}

function writeEscaped(chunk: Buffer, start: number, unit: number): number {
  chunk[start] = BACKSLASH;
  chunk[start + 1] = LETTER_U;
  for (let digit = 0; digit < 4; digit++) chunk[start + 5 - digit] = DIGITS[(unit >> (4 * digit)) & 15] ?? 0;
  return start + 6;
}

/**
 * Whether `given` signs the raw bytes or their escaped form; making either takes the secret. Compares in constant time.
 */
export function isSigned(given: string | null, body: Uint8Array, secret: string): boolean {
  if (!secret || !given) return false;
  if (sameSecret(given, signatureOf(secret, body))) return true;
  const hmac = createHmac("sha256", secret);
  for (const chunk of escapedForm(utf8.decode(body))) hmac.update(chunk);
  return sameSecret(given, `sha256=${hmac.digest("hex")}`);
}
