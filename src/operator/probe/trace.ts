import { type Answer, answerText, type Call } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import { cutText } from "gangway-messenger/text";
import { parseJson } from "../../gateway/wire.ts";

/** A request and its response on the wire, in either direction. */
export interface Exchange {
  /** Time since the probe began, ms. */
  at: number;
  from: "probe" | "gateway" | "crm";
  /** Method and path without ids and secrets, or a webhook's type. */
  what: string;
  /** 0 if there was no response. */
  status: number;
  /** Response time, ms. */
  ms: number;
  asked?: unknown;
  answer?: unknown;
}

export interface Trace {
  call: Call;
  add(exchange: Omit<Exchange, "at">): void;
  /** The exchanges since the last `take`. */
  list(): readonly Exchange[];
  /** Returns the exchanges since the last `take`, and clears them. */
  take(): Exchange[];
  /** The last response to the probe since `forget`; undefined if the last call got none. */
  newest(): Answer | undefined;
  forget(): void;
}

export const jsonOf = (text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    return text === "" ? undefined : `(${text.length} characters, not JSON)`;
  }
};

/** A form's fields; values that hold JSON are parsed. */
export const formOf = (text: string): Record<string, unknown> =>
  Object.fromEntries(
    [...new URLSearchParams(text)].map(([name, value]) => [name, /^[[{]/.test(value) ? jsonOf(value) : value]),
  );

const pathOf = (url: string): string => new URL(url).pathname.replace(/\/(\d+|[\da-f-]{20,})(?=\/|$)/g, "/{id}");

/** Replaces orders, which are personal data, with their number. */
function counted(answer: unknown): unknown {
  const { orders } = Object(answer);
  return Array.isArray(orders) ? { orders: `(${orders.length} left out)` } : answer;
}

/** Wraps `call` to record each exchange. */
export function createTrace(call: Call, clock: Clock): Trace {
  const began = clock.monotonic();
  let exchanges: Exchange[] = [];
  let newest: Answer | undefined;
  const add: Trace["add"] = (exchange) =>
    void exchanges.push({ at: Math.round(clock.monotonic() - began), ...exchange });
  return {
    add,
    async call(request) {
      const since = clock.monotonic();
      const result = await call(request);
      newest = result.type === "answer" ? result : undefined;
      const failed = result.type === "failure" ? ` (${result.reason})` : "";
      const { body = "" } = request;
      const isForm = request.headers?.["content-type"]?.includes("urlencoded");
      const asked = typeof body !== "string" ? "(a file)" : isForm ? formOf(body) : jsonOf(body);
      add({
        from: "probe",
        what: `${request.method} ${pathOf(request.url)}${failed}`,
        status: newest?.status ?? 0,
        ms: Math.round(clock.monotonic() - since),
        asked,
        answer: newest && counted(jsonOf(answerText(newest))),
      });
      return result;
    },
    list: () => exchanges,
    take() {
      const taken = exchanges;
      exchanges = [];
      return taken;
    },
    newest: () => newest,
    forget() {
      newest = undefined;
    },
  };
}

/** Keys whose short texts are contract vocabulary, and values that are so under any key. */
const WORDS = /^(type|code|originator)$/;
const WAYS = /^(receive|send|both|none)$/;
/** Keys whose texts are the other side's own sentences. */
const SENTENCES = /^(errors|errorMsg|error|message|children\[\w+\])$/;
const MAX_SENTENCE = 200;
/** Placeholders for bodies that are not JSON, and for orders. */
const STAND_IN = /^\((?:a file|\d+ characters, not JSON|\d+ left out)\)$/;
/** Matches keys that may belong to the contract rather than be somebody's id or code. */
const NAME = /^[a-z_][\w[\]-]{0,40}$/i;

/**
 * Keeps of an exchange only what shows how the other side behaves: numbers, texts, names and addresses are replaced by
 * placeholders, except the probe's own texts. `secrets` are also removed from sentences.
 */
export function redacted(
  value: unknown,
  known: { own: ReadonlySet<string>; secrets: readonly string[] },
  key = "",
): unknown {
  if (Array.isArray(value)) {
    const shown = value.slice(0, 3).map((each) => redacted(each, known, key));
    return value.length > 3 ? [...shown, `(${value.length - 3} more)`] : shown;
  }
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => {
        const isName = NAME.test(name) && key !== "customFields";
        return [isName ? name : "(id)", redacted(each, known, isName ? name : key)];
      }),
    );
  if (typeof value === "number") return "(number)";
  if (typeof value !== "string") return value;
  if (known.own.has(value)) return value.length > MAX_SENTENCE ? `(own text of ${value.length} characters)` : value;
  if (WAYS.test(value) || (WORDS.test(key) && /^[a-z_]{1,30}$/.test(value))) return value;
  if (SENTENCES.test(key)) return sentence(value, known.secrets);
  if (STAND_IN.test(value)) return value;
  return `(text of ${value.length})`;
}

/** A refusal's words, with everything masked that may be personal or secret. */
export function sentence(text: string, secrets: readonly string[]): string {
  const shown = secrets.filter(Boolean).reduce((left, secret) => left.replaceAll(secret, "***"), text);
  const foreign = [/[^\s@]{0,254}@\S*/g, /https?:\/\/\S+/g, /[\w-]{24,}/g, /\+?\d[\d -]{5,}\d/g];
  const clean = foreign.reduce((left, pattern) => left.replaceAll(pattern, "***"), shown);
  return cutText(clean.replaceAll(/\p{Cc}+/gu, " "), MAX_SENTENCE);
}
