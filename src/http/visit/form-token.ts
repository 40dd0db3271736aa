import { randomBytes } from "node:crypto";

// A page shows its form token under a fresh mask: were it the same text each time, the length of compressed pages that
// repeat a guess would give it away (BREACH).

/** `<mask><token xor mask>`, base64url; different every time. */
export function masked(token: string): string {
  const plain = Buffer.from(token);
  const mask = randomBytes(plain.length);
  return Buffer.concat([mask, xor(plain, mask)]).toString("base64url");
}

/** The token; any other text for a malformed one. */
export function unmasked(shown: string): string {
  const bytes = Buffer.from(shown, "base64url");
  const half = bytes.length / 2;
  return Number.isInteger(half) ? xor(bytes.subarray(half), bytes.subarray(0, half)).toString() : "";
}

const xor = (bytes: Buffer, mask: Buffer): Buffer => Buffer.from(bytes.map((byte, n) => byte ^ (mask[n] ?? 0)));
