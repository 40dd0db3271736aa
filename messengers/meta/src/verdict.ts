import { DeliveryError, type ErrorCode, type Verdict } from "gangway-messenger/errors";
import { cutText } from "gangway-messenger/text";

/** An error of the Graph API: `{error: {message, type, code, error_subcode, error_data, fbtrace_id}}`. */
export interface Refusal {
  status: number;
  code: number;
  subcode?: number;
  /** Meta's own words, with our secrets masked. */
  message: string;
  isTransient: boolean;
  /** How long Meta asks to wait, ms, if it says so. */
  afterMs?: number;
}

/** Carries the whole refusal, for callers that can react to it. */
export class GraphError extends DeliveryError {
  readonly refusal: Refusal;
  constructor(refusal: Refusal, verdict: Verdict, message: string) {
    super(verdict, message);
    this.name = "GraphError";
    this.refusal = refusal;
  }
}

/** `wait`: ms, unless Meta itself says how long. `dead`: the token or the login has ended. */
type Meaning = { wait: number } | "transient" | "dead" | "unsure" | ErrorCode;
/** `none`: only without a subcode. `words`: what it means, for people. */
export type Row = [
  code: number | readonly [from: number, to: number],
  subcode: number | "any" | "none",
  meaning: Meaning,
  words?: string,
];

const MINUTE_MS = 60_000;

/** What the codes of every network mean; a network's own rows come before these. The first row that fits counts. */
const SHARED: readonly Row[] = [
  [4, "any", { wait: MINUTE_MS }],
  [17, "any", { wait: MINUTE_MS }],
  [32, "any", { wait: MINUTE_MS }],
  [613, "any", { wait: MINUTE_MS }],
  [[80_000, 80_014], "any", { wait: MINUTE_MS }],
  [[1, 2], "any", "transient"],
  [190, 463, "dead", "the token has expired"],
  [190, 460, "dead", "the token ended when its owner changed their password"],
  [190, 458, "dead", "the app has been removed from the account"],
  [190, "any", "dead", "the token is no longer valid"],
  [102, "any", "dead", "the token is no longer valid"],
  [3, "any", "dead", "the app may not use this API"],
  [10, "none", "dead", "the token lacks a permission"],
  [[200, 299], "any", "dead", "the token lacks a permission"],
  [368, "any", "spam_suspicion", "Meta has blocked this for breaking its policies"],
];

/** The refusal says that a permission is missing, or which one, not that the token is bad. */
export const isPermission = ({ code }: Pick<Refusal, "code">): boolean =>
  code === 3 || code === 10 || (code >= 200 && code <= 299);

export const rowOf = (table: readonly Row[], { code, subcode }: Pick<Refusal, "code" | "subcode">): Row | undefined =>
  [...table, ...SHARED].find(([codes, subcodes]) => {
    const [from, to] = typeof codes === "number" ? [codes, codes] : codes;
    if (code < from || code > to) return false;
    return subcodes === "any" || (subcodes === "none" ? !subcode : subcodes === subcode);
  });

/** `repeatable`: the call is idempotent, so an unknown outcome means a retry. */
export function verdictOf(table: readonly Row[], refusal: Refusal, repeatable = false): Verdict {
  const meaning =
    rowOf(table, refusal)?.[2] ?? (refusal.isTransient || refusal.status >= 500 ? "transient" : "general");
  if (typeof meaning === "object") return { type: "retry", afterMs: refusal.afterMs ?? meaning.wait };
  if (meaning === "transient") return { type: "retry" };
  if (meaning === "unsure") return { type: repeatable ? "retry" : "unsure" };
  if (meaning === "dead") return { type: "reconnect" };
  return { type: "reject", code: meaning, externalCode: codeText(refusal) };
}

export const codeText = ({ code, subcode }: Pick<Refusal, "code" | "subcode">): string =>
  subcode ? `${code}/${subcode}` : String(code);

/** Maximum length of Meta's words that is kept, code points. */
const MAX_SAID = 240;

/** Makes Meta's own text safe for pages and logs: no control characters, limited length. */
export const plainText = (text: string): string => cutText(text.replace(/\p{Cc}+/gu, " ").trim(), MAX_SAID);

/** `what` names the call. */
export function refusalError(
  { network, table }: { network: string; table: readonly Row[] },
  refusal: Refusal,
  what: string,
  repeatable = false,
): GraphError {
  const words = rowOf(table, refusal)?.[3];
  const said = `${network}: ${plainText(refusal.message) || "no reason given"} (${codeText(refusal)}, ${what})`;
  return new GraphError(refusal, verdictOf(table, refusal, repeatable), words ? `${words}. ${said}` : said);
}
