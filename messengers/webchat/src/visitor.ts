import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "gangway-messenger/clock";
import { newId, sameSecret } from "gangway-messenger/ids";

/** Visitors are anonymous. Each has an id, signed by this channel and kept in the browser. */
export interface Visitors {
  /** `visitor`: one who is known already. */
  newToken(visitor?: string): string;
  /** Of a shop's own customer. */
  signedToken(visitor: string): string;
  /** The visitor's id; undefined if the token is not genuine, or too old. */
  verify(token: string): string | undefined;
  /** The same of today, once it is of another month: both end together. */
  renewed(token: string): string;
  /** The id of a shop's own customer, the same on all devices; undefined if the shop has not signed it. */
  ofUser(id: string, signature: string): string | undefined;
  /** File id for the uploader: only this visitor can send the file with it. */
  ticketFor(visitor: string, fileId: string): string;
  /** The file's id; undefined if the ticket is not this visitor's. */
  fileOf(visitor: string, ticket: string): string | undefined;
}

/** Characters of a ticket's signature: 128 bits, base64url. */
const TICKET_LENGTH = 22;

/** The file id in a ticket; a plain id stays as it is. */
export const bareFileId = (id: string): string => id.split(".")[0] ?? "";

/** Tokens from before they had a serial number. */
const FIRST = "first";

/** Begins the day of a token in its serial number. */
const DAY = "~";
const DAY_MS = 86_400_000;
/** How long a token is taken, and how old it is when the chat is opened and it is renewed. */
export const [TOKEN_DAYS, RENEWED_DAYS] = [365, 30];
/** Tokens from before they had a day count as of this one. */
const UNDATED = Date.UTC(2026, 11, 1) / DAY_MS;

/** Of a genuine token and those that it was renewed as: unique in the channel. */
export function serialOf(token: string): string {
  const [visitor, serial = "", signature] = token.split(".");
  return `${visitor}.${signature === undefined ? FIRST : serial.split(DAY)[0]}`;
}

function dayOf(token: string): number {
  const [, serial = "", signature] = token.split(".");
  const day = signature === undefined ? undefined : serial.split(DAY)[1];
  return day === undefined ? UNDATED : Number.parseInt(day, 36);
}

/** With it the shop signs the ids of its customers. From the channel's key, so that a channel has it from the start. */
export const identityKey = (key: string): string => createHmac("sha256", key).update("identity:").digest("base64url");

/** As shops compute it: HMAC-SHA256 of the customer's id, in hex. */
export const userSignature = (key: string, id: string): string =>
  createHmac("sha256", identityKey(key)).update(id).digest("hex");

/** Characters of an id. */
const ID_LENGTH = 22;
const SERIAL_BYTES = 9;
/** Begins the serial numbers of the shop's own customers, which are longer than others. */
const SIGNED = "s";
const SIGNED_LENGTH = 13;

/** Whether a genuine token is of a shop's own customer. */
export const isSigned = (token: string): boolean => serialOf(token).split(".")[1]?.length === SIGNED_LENGTH;

const newSerial = () => randomBytes(SERIAL_BYTES).toString("base64url");

export function createVisitors(key: string, clock: Pick<Clock, "now">): Visitors {
  const today = () => Math.floor(clock.now() / DAY_MS);
  const ageOf = (given: string) => today() - dayOf(given);
  const dated = (id: string, serial: string) => token(id, serial + DAY + today().toString(36));
  const sign = (text: string) => createHmac("sha256", key).update(text).digest("base64url");
  const token = (id: string, serial?: string) => {
    const named = serial === undefined ? id : `${id}.${serial}`;
    return `${named}.${sign(named)}`;
  };
  // Ids have no colon, so a ticket's signature can never be valid in a token.
  const ticketFor = (visitor: string, fileId: string) =>
    `${fileId}.${sign(`${visitor}:${fileId}`).slice(0, TICKET_LENGTH)}`;
  return {
    newToken: (visitor = newId<string>()) => dated(visitor, newSerial()),
    signedToken: (visitor) => dated(visitor, SIGNED + newSerial()),
    verify(given) {
      const [id = "", serial, signature] = given.split(".");
      const isGenuine = sameSecret(given, token(id, signature === undefined ? undefined : serial));
      return isGenuine && ageOf(given) <= TOKEN_DAYS ? id : undefined;
    },
    renewed(given) {
      const [id = "", serial = ""] = serialOf(given).split(".");
      return ageOf(given) < RENEWED_DAYS ? given : dated(id, serial);
    },
    // Ids have no colon: no token's signature is one of these.
    ofUser: (id, signature) =>
      sameSecret(signature.toLowerCase(), userSignature(key, id)) ? sign(`user:${id}`).slice(0, ID_LENGTH) : undefined,
    ticketFor,
    fileOf(visitor, given) {
      const fileId = bareFileId(given);
      return sameSecret(given, ticketFor(visitor, fileId)) ? fileId : undefined;
    },
  };
}
