import { createHmac } from "node:crypto";
import { newId, sameSecret } from "gangway-messenger/ids";

/** Visitors are anonymous. Each has an id, signed by this channel and kept in the browser. */
export interface Visitors {
  newToken(): string;
  /** The visitor's id; undefined if the token is not genuine. */
  verify(token: string): string | undefined;
  /** File id for the uploader: only this visitor can send the file with it. */
  ticketFor(visitor: string, fileId: string): string;
  /** The file's id; undefined if the ticket is not this visitor's. */
  fileOf(visitor: string, ticket: string): string | undefined;
}

/** Characters of a ticket's signature: 128 bits, base64url. */
const TICKET_LENGTH = 22;

/** The file id in a ticket; a plain id stays as it is. */
export const bareFileId = (id: string): string => id.split(".")[0] ?? "";

export function createVisitors(key: string): Visitors {
  const sign = (text: string) => createHmac("sha256", key).update(text).digest("base64url");
  const token = (id: string) => `${id}.${sign(id)}`;
  // Ids have no colon, so a ticket's signature can never be valid in a token.
  const ticketFor = (visitor: string, fileId: string) =>
    `${fileId}.${sign(`${visitor}:${fileId}`).slice(0, TICKET_LENGTH)}`;
  return {
    newToken: () => token(newId<string>()),
    verify(given) {
      const [id = ""] = given.split(".");
      return sameSecret(given, token(id)) ? id : undefined;
    },
    ticketFor,
    fileOf(visitor, given) {
      const fileId = bareFileId(given);
      return sameSecret(given, ticketFor(visitor, fileId)) ? fileId : undefined;
    },
  };
}
