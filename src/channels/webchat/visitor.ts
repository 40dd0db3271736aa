import { createHmac } from "node:crypto";
import { newId, sameSecret } from "../../domain/ids.ts";

/** Visitors are anonymous: an id that only this channel can have given out, kept in the browser. */
export interface Visitors {
  /** A new visitor's token. */
  invite(): string;
  /** The visitor's id, when the token is genuine. */
  recognise(token: string): string | undefined;
  /** The id a visitor is told of a file they have brought: only they can send that file. */
  claim(visitor: string, fileId: string): string;
  /** The file's own id, when the claim is this visitor's. */
  claimed(visitor: string, claim: string): string | undefined;
}

/** Characters of a claim's signature: 128 bits, base64url. */
const CLAIM_LENGTH = 22;

/** A file's own id, out of a claim or already bare. */
export const bareFileId = (id: string): string => id.split(".")[0] ?? "";

export function visitors(key: string): Visitors {
  const sign = (text: string) => createHmac("sha256", key).update(text).digest("base64url");
  const token = (id: string) => `${id}.${sign(id)}`;
  // A colon is in no id, so that a claim can never be taken for a token's signature.
  const claim = (visitor: string, fileId: string) => `${fileId}.${sign(`${visitor}:${fileId}`).slice(0, CLAIM_LENGTH)}`;
  return {
    invite: () => token(newId<string>()),
    recognise(given) {
      const [id = ""] = given.split(".");
      return sameSecret(given, token(id)) ? id : undefined;
    },
    claim,
    claimed(visitor, given) {
      const fileId = bareFileId(given);
      return sameSecret(given, claim(visitor, fileId)) ? fileId : undefined;
    },
  };
}
