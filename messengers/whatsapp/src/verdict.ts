import type { LateError } from "gangway-messenger/message";
import { isPermission, plainText, type Refusal, type Row, rowOf } from "gangway-meta/verdict";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

export const OUT_OF_WINDOW = "the customer has not written for 24 hours: only a template can be sent now";

/** What the Cloud API's codes mean (docs/whatsapp/cloud-api/support/error-codes), before those of all networks. */
export const TABLE: readonly Row[] = [
  [131_047, "any", "reply_timed_out", OUT_OF_WINDOW],
  [470, "any", "reply_timed_out", OUT_OF_WINDOW],
  [131_026, "any", "customer_not_exists", "this customer has no WhatsApp, or cannot receive this message"],
  [131_021, "any", "access_restricted", "a number cannot write to itself"],
  [131_030, "any", "access_restricted", "a test number may write only to the numbers that are listed for it at Meta"],
  [131_050, "any", "access_restricted", "the customer has stopped marketing messages"],
  [130_472, "any", "access_restricted", "Meta does not deliver marketing messages to this customer now"],
  [130_497, "any", "access_restricted", "Meta does not deliver this account's messages to the customer's country"],
  [[131_048, 131_049], "any", "spam_suspicion", "Meta limits messages that customers report or ignore"],
  [131_064, "any", "spam_suspicion", "Meta has lowered this account's limit because of its templates"],
  [130_429, "any", { wait: 4 * SECOND_MS }],
  [131_056, "any", { wait: 6 * SECOND_MS }],
  [133_016, "any", { wait: 10 * MINUTE_MS }],
  [131_000, "any", "transient"],
  [131_016, "any", "transient"],
  [131_057, "any", "transient"],
  [133_004, "any", "transient"],
  [135_000, "any", "transient"],
  [133_010, "any", "dead", "this number is not registered for the Cloud API. Register it in WhatsApp Manager"],
  [131_031, "any", "dead", "Meta has locked this WhatsApp account"],
  [131_042, "any", "dead", "Meta cannot charge this account: check its payment method"],
  [131_037, "any", "dead", "the display name of this number is not approved yet"],
  [131_044, "any", "dead", "Meta cannot charge this account: check its payment method"],
  [131_045, "any", "dead", "this number is not registered for the Cloud API. Register it in WhatsApp Manager"],
  [131_063, "any", "dead", "Meta has turned off this number's messages"],
  [131_005, "any", "dead", "the token lacks a permission"],
  [0, "any", "dead", "the token is no longer valid"],
  // Codes about 360dialog's key.
  [401, "any", "dead", "the token is no longer valid"],
  [131_062, "any", "general", "this kind of message needs the customer's phone number"],
  [[131_051, 131_053], "any", "general", "WhatsApp does not accept this file or kind of message"],
  [132_015, "any", "general", "Meta has paused this template because of its quality"],
  [132_016, "any", "general", "Meta has disabled this template because of its quality"],
  [132_001, "any", "general", "there is no such approved template in this language"],
  [[132_000, 132_069], "any", "general", "the template does not fit its variables"],
];

/** Codes about the token's rights; the others that end a login are Meta's verdict on the number or the account. */
export const isOfRights = (refusal: Pick<Refusal, "code">): boolean =>
  isPermission(refusal) || refusal.code === 131_005;
export const isOfToken = ({ code }: Pick<Refusal, "code">): boolean => [0, 102, 190, 401].includes(code);

/** Why Meta could not deliver what it had accepted. */
export function lateError(code: number, said: string): LateError {
  const row = rowOf(TABLE, { code });
  const meaning = typeof row?.[2] === "string" ? row[2] : "general";
  const isFinal = meaning !== "transient" && meaning !== "dead" && meaning !== "unsure";
  const message = `WhatsApp: ${plainText(said) || "no reason given"} (${code})`;
  return {
    code: isFinal ? meaning : "general",
    message: row?.[3] ? `${row[3]}. ${message}` : message,
    externalCode: String(code),
  };
}
