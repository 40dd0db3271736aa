import { createHmac, timingSafeEqual } from "node:crypto";
import { newId } from "../../domain/ids.ts";

/** Visitors are anonymous: an id that only this channel can have given out, kept in the browser. */
export interface Visitors {
  /** A new visitor's token. */
  invite(): string;
  /** The visitor's id, when the token is genuine. */
  recognise(token: string): string | undefined;
}

export function visitors(key: string): Visitors {
  const sign = (id: string) => createHmac("sha256", key).update(id).digest();
  return {
    invite() {
      const id = newId<string>();
      return `${id}.${sign(id).toString("base64url")}`;
    },
    recognise(token) {
      const [id = "", signature = ""] = token.split(".");
      const given = Buffer.from(signature, "base64url");
      const right = sign(id);
      return given.length === right.length && timingSafeEqual(given, right) ? id : undefined;
    },
  };
}
