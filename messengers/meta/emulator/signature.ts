import { createHmac } from "node:crypto";

/** Every UTF-16 unit outside U+0000..U+007E as `\uXXXX`, lower-case hex: what some of Meta's signatures cover. */
export const escaped = (body: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters stay as they are.
  body.replaceAll(/[^\u0000-\u007e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The value of `X-Hub-Signature-256`. */
export const signatureOf = (secret: string, body: string, form: "raw" | "escaped"): string =>
  `sha256=${createHmac("sha256", secret)
    .update(form === "raw" ? body : escaped(body))
    .digest("hex")}`;

/** A `signed_request`, as Meta posts it to the deauthorise and data deletion callbacks. */
export function signedRequest(secret: string, payload: object): string {
  const written = Buffer.from(JSON.stringify({ algorithm: "HMAC-SHA256", ...payload })).toString("base64url");
  return `${createHmac("sha256", secret).update(written).digest("base64url")}.${written}`;
}
