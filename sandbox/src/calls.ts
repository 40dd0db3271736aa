import type { Side } from "./documents.ts";

/** One request and its answer, or one socket event, with the contract's verdict. */
export interface Exchange {
  at: number;
  side: Side;
  operation: string;
  method: string;
  path: string;
  query: Record<string, string[]>;
  /** 0: the connection broke. */
  status: number;
  ms: number;
  /** Empty: request and answer match the contract. */
  faults: string[];
  rule?: string;
  /** Parsed bodies; undefined when absent or not JSON. */
  request: unknown;
  answer: unknown;
}
/** An exchange as the call log shows it. */
export interface CallEntry extends Omit<Exchange, "request" | "answer" | "query"> {
  n: number;
  request: string;
  answer: string;
}

export interface CallLog {
  /** `texts`: the raw bodies, where they are not JSON. */
  add(exchange: Exchange, texts?: { request?: string; answer?: string }): void;
  observe(listener: (exchange: Exchange) => void): void;
  entries(faultsOnly?: boolean): CallEntry[];
  totals(): { total: number; faults: number };
  /** Counts a side's answers with this status. */
  answered(side: Side, status: number): number;
}

const MAX_ENTRIES = 5_000;
/** Longest body shown, characters. */
export const SNIPPET = 2_048;

const SECRETS = ["token", "apiKey", "clientId"];

/** JSON.stringify replacer: masks tokens and keys. */
export const masked = (key: string, value: unknown): unknown =>
  SECRETS.includes(key) && value !== null && value !== undefined ? "***" : value;

export const snippet = (text: string): string =>
  text
    .slice(0, SNIPPET)
    .replaceAll(/((?:"|%22|^|&|\[)(?:token|apiKey|clientId)(?:"|%22|\])?(?::|%3A|=)\s*(?:"|%22)?)[^"&%]*/g, "$1***")
    .replaceAll(/(\/gateway\/)[\w-]+/g, "$1***");

const jsonOf = (body: unknown) => (body === undefined ? "" : JSON.stringify(body, masked));

export function createCallLog(): CallLog {
  const kept: CallEntry[] = [];
  const listeners: ((exchange: Exchange) => void)[] = [];
  let total = 0;
  let faults = 0;
  const statuses = new Map<string, number>();
  return {
    add(exchange, texts = {}) {
      total += 1;
      if (exchange.faults.length > 0) faults += 1;
      const status = `${exchange.side} ${exchange.status}`;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const { query: _, ...shown } = exchange;
      const request = snippet(jsonOf(exchange.request) || (texts.request ?? ""));
      const answer = snippet(jsonOf(exchange.answer) || (texts.answer ?? ""));
      kept.push({ ...shown, path: snippet(exchange.path), request, answer, n: total });
      if (kept.length > MAX_ENTRIES) kept.shift();
      for (const listener of listeners) listener(exchange);
    },
    observe: (listener) => void listeners.push(listener),
    entries: (faultsOnly = false) => kept.filter((entry) => !faultsOnly || entry.faults.length > 0),
    totals: () => ({ total, faults }),
    answered: (side, status) => statuses.get(`${side} ${status}`) ?? 0,
  };
}
