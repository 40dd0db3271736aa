import type { Side } from "./judge.ts";

/** One request and its answer, or one event of the socket, with the contract's verdict on both. */
export interface Exchange {
  at: number;
  side: Side;
  /** The contract's operationId, or a socket event's type. */
  operation: string;
  method: string;
  path: string;
  query: Record<string, string[]>;
  /** 0: the connection broke. */
  status: number;
  ms: number;
  /** Empty: both were as agreed. */
  faults: string[];
  /** The rule that refused, if one did. */
  rule?: string;
  /** Parsed bodies; undefined when there is none or it is not JSON. */
  request: unknown;
  answer: unknown;
}
/** How the call log shows an exchange. */
export interface CallEntry extends Omit<Exchange, "request" | "answer" | "query"> {
  n: number;
  request: string;
  answer: string;
}

export interface CallLog {
  /** `texts`: what was really written, when it is not the parsed bodies. */
  add(exchange: Exchange, texts?: { request?: string; answer?: string }): void;
  observe(listener: (exchange: Exchange) => void): void;
  entries(faultsOnly?: boolean): CallEntry[];
  totals(): { total: number; faults: number };
}

const MOST_ENTRIES = 5_000;
const SNIPPET = 2_048;

/** Tokens and keys have no place in a log, not even here. */
export const snippet = (text: string): string =>
  text
    .slice(0, SNIPPET)
    .replaceAll(/("(?:token|apiKey|clientId)":\s*")[^"]*/g, "$1***")
    .replaceAll(/(\/gateway\/)[\w-]+/g, "$1***");

const written = (body: unknown) => (body === undefined ? "" : JSON.stringify(body));

export function createCallLog(): CallLog {
  const kept: CallEntry[] = [];
  const listeners: ((exchange: Exchange) => void)[] = [];
  let total = 0;
  let faults = 0;
  return {
    add(exchange, texts = {}) {
      total += 1;
      if (exchange.faults.length > 0) faults += 1;
      const { query: _, ...shown } = exchange;
      const request = snippet(texts.request ?? written(exchange.request));
      const answer = snippet(texts.answer ?? written(exchange.answer));
      kept.push({ ...shown, path: snippet(exchange.path), request, answer, n: total });
      if (kept.length > MOST_ENTRIES) kept.shift();
      for (const listener of listeners) listener(exchange);
    },
    observe: (listener) => void listeners.push(listener),
    entries: (faultsOnly = false) => kept.filter((entry) => !faultsOnly || entry.faults.length > 0),
    totals: () => ({ total, faults }),
  };
}
