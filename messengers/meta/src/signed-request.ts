import { createHmac } from "node:crypto";
import { sameSecret } from "gangway-messenger/ids";
import * as z from "zod";
import { id } from "./envelope.ts";
import { parseExactly } from "./exact-json.ts";

const payload = z.object({ algorithm: z.string(), user_id: id, issued_at: z.number().nullish() });
export type SignedRequest = z.infer<typeof payload> & { proof: string };

/** Longest `signed_request`, characters. */
const MAX_LENGTH = 8_192;

/**
 * Meta's `signed_request`, for the deauthorization and data deletion callbacks: `<signature>.<payload>`, both
 * base64url, signed with HMAC-SHA256 over the encoded payload. Undefined if it is forged.
 */
export function readSignedRequest(text: string, secret: string): SignedRequest | undefined {
  const [signature = "", body = "", ...rest] = text.split(".");
  if (!secret || !body || rest.length > 0 || text.length > MAX_LENGTH) return undefined;
  const right = createHmac("sha256", secret).update(body).digest("base64url");
  if (!sameSecret(signature.replace(/=+$/, ""), right)) return undefined;
  try {
    const read = payload.safeParse(parseExactly(Buffer.from(body, "base64url").toString("utf8"))).data;
    return read?.algorithm.toUpperCase() === "HMAC-SHA256" ? { ...read, proof: right } : undefined;
  } catch {
    return undefined;
  }
}
