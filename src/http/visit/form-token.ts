import { randomBytes } from "node:crypto";

// Pages show the form token under a fresh mask: a constant text would leak through the length of compressed pages that
// reflect guesses (BREACH).

/** `<mask><token xor mask>` as base64url, different every time. */
export function masked(token: string): string {
  const plain = Buffer.from(token);
  const mask = randomBytes(plain.length);
  return Buffer.concat([mask, xor(plain, mask)]).toString("base64url");
}

/** Returns the token; some other text if `shown` is malformed. */
export function unmasked(shown: string): string {
  const bytes = Buffer.from(shown, "base64url");
  const half = bytes.length / 2;
  return Number.isInteger(half) ? xor(bytes.subarray(half), bytes.subarray(0, half)).toString() : "";
}

const xor = (bytes: Buffer, mask: Buffer): Buffer => Buffer.from(bytes.map((byte, n) => byte ^ (mask[n] ?? 0)));
