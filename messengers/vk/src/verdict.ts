import { DeliveryError, type ErrorCode, type Hindrance, type Verdict } from "gangway-messenger/errors";
import { cutText } from "gangway-messenger/text";

/** `wait`: ms. `dead`: the key or the login has ended. */
type Meaning = { wait: number } | "transient" | "dead" | ErrorCode;

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];

const of = (meaning: Meaning, ...codes: number[]): [number, Meaning][] => codes.map((code) => [code, meaning]);

/** Too many similar messages, or the day's calls are used up. */
export const [FLOOD, USED_UP] = [9, 29];

/** Meaning of the codes (dev.vk.com/reference/errors); any other is a refusal of the call. */
export const TABLE: ReadonlyMap<number, Meaning> = new Map([
  ...of({ wait: 1_000 }, 6),
  ...of({ wait: MINUTE_MS }, FLOOD),
  ...of({ wait: HOUR_MS }, USED_UP),
  ...of("transient", 1, 10, 36),
  ...of("dead", 2, 5, 27, 28, 1117, 3610),
  ...of("reply_timed_out", 950),
  ...of("customer_not_exists", 18, 39, 113, 177, 936),
  ...of("access_restricted", 7, 15, 30, 37, 203, 900, 901, 902, 917, 922, 925, 927, 932, 935, 945, 946, 947, 962),
  ...of("access_restricted", 983, 985, 987, 988, 1012),
  ...of("spam_suspicion", 14, 601, 940, 944, 1105),
]);

/** What it means, for people. */
const WORDS: ReadonlyMap<number, string> = new Map([
  [5, "VK no longer accepts this access key"],
  [27, "VK no longer accepts this access key"],
  [1117, "VK no longer accepts this access key"],
  [7, "the access key lacks a right"],
  [15, "the access key lacks a right"],
  [9, "VK takes the community's messages for spam"],
  [14, "VK takes the community's messages for spam"],
  [29, "the community has used up the calls that VK allows for a day"],
  [18, "the customer has deleted their page, or VK has blocked it"],
  [900, "the community has blocked this customer"],
  [901, "the customer has not allowed messages from the community, or has forbidden them"],
  [902, "the customer's settings let no messages from the community through"],
  [936, "VK no longer knows this customer"],
  [950, "the customer has not written for too long: VK lets the community answer only after their next message"],
  [
    2000,
    "the community has ten callback servers, and VK allows no more: remove one in Manage, API usage, Callback API",
  ],
]);

const HINDRANCES: ReadonlyMap<number, Hindrance> = new Map<number, Hindrance>([
  [909, { code: "too-old", about: "24" }],
  [924, { code: "too-old", about: "24" }],
  [920, { code: "fixed" }],
  ...[900, 901, 902].map((code): [number, Hindrance] => [code, { code: "blocked" }]),
]);

/** A refusal of the API, with its code. */
export class VkError extends DeliveryError {
  readonly code: number;
  constructor(code: number, verdict: Verdict, message: string) {
    super(verdict, message);
    this.name = "VkError";
    this.code = code;
  }
}

const spam = (code: number): Verdict => ({ type: "reject", code: "spam_suspicion", externalCode: String(code) });

/** `repeatable`: the call is idempotent, so an unknown outcome means a retry. */
export function verdictOf(code: number, repeatable = false): Verdict {
  // Otherwise an agent would learn only after a day that nothing was sent.
  if (code === USED_UP && !repeatable) return spam(code);
  const meaning = TABLE.get(code) ?? "general";
  if (typeof meaning === "object") return { type: "retry", afterMs: meaning.wait };
  // VK does not say what its own failures left done.
  if (meaning === "transient") return { type: repeatable ? "retry" : "unsure" };
  if (meaning === "dead") return { type: "reconnect" };
  return { type: "reject", code: meaning, externalCode: String(code) };
}

/** Maximum length of VK's words that is kept, code points. */
const MAX_SAID = 240;
/** Makes VK's own text safe for pages and logs: no control characters, no token, limited length. */
export const plainText = (text: string): string =>
  cutText(
    text
      .replace(/\p{Cc}+/gu, " ")
      .replace(/vk1\.a\.[\w-]+|[0-9a-f]{60,}/gi, "…")
      .trim(),
    MAX_SAID,
  );

/** The same refusal, permanently. */
export const asSpam = ({ code, message }: VkError): VkError => new VkError(code, spam(code), message);

export interface Refusal {
  code: number;
  said: string;
}

/** `what` names the call. */
export function refusalError({ code, said }: Refusal, what: string, repeatable = false): VkError {
  const words = WORDS.get(code);
  const whole = `VK: ${plainText(said) || "no reason given"} (${code}, ${what})`;
  const error = new VkError(code, verdictOf(code, repeatable), words ? `${words}. ${whole}` : whole);
  error.hindrance = HINDRANCES.get(code);
  return error;
}
