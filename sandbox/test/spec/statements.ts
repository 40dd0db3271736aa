import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

// The spec stands beside the checkout, not in it; docs/sandbox.md quotes its statements.

const FILE = join(import.meta.dirname, "../../../../shared/spec.txt");

/** Undefined where the spec is not beside the checkout. */
export const spec = (): string | undefined => (existsSync(FILE) ? readFileSync(FILE, "utf8") : undefined);

/** The cells of a table's row, or one sentence of the prose or of a list. */
export type Statement = readonly string[];

/** Sentences and cells that state nothing a test could break, by how they read. */
const SILENT: readonly [why: string, pattern: RegExp][] = [
  ["states that something is unknown", /\bnot shown\b/],
  ["a cell without a value", /^(path only|none given)?$/],
  [
    "is about the document",
    /^(This document covers|It is the only document|Notation: |Direction: |The moves below|Token placeholder: |Callbacks from the service to a module are listed|Registration rules:)/,
  ],
];
export const silence = (sentence: string): string | undefined =>
  SILENT.find(([, pattern]) => pattern.test(sentence))?.[0];

/** The sentences of a cell or a line. */
export const sentencesOf = (text: string): string[] => text.split(/(?<=\.)\s+(?=[A-Z])/);

const isTable = (line: string) => line.startsWith("|");
const isRule = (line = "") => /^\|[-|]+$/.test(line);
const cellsOf = (line: string) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Headings, of tables too, state nothing. */
export function statementsOf(text: string): Statement[] {
  const lines = text.split("\n");
  return lines.flatMap((line, n): Statement[] => {
    if (line.trim() === "" || line.startsWith("#") || isRule(line) || isRule(lines[n + 1])) return [];
    if (isTable(line)) return [cellsOf(line)];
    return sentencesOf(line.replace(/^\s*(-|\d+\.) /, "")).map((sentence) => [sentence]);
  });
}

/** Where the quote's parts stand in the statement, in this order. */
function found(quote: string, text: string): [from: number, to: number][] | undefined {
  const spans: [number, number][] = [];
  for (const part of quote.split(" … ")) {
    const from = text.indexOf(part, spans.at(-1)?.[1]);
    if (from < 0) return undefined;
    spans.push([from, from + part.length]);
  }
  return spans;
}

const written = (statement: Statement) => statement.join(" | ");

export const isQuoted = (quote: string, statement: Statement): boolean =>
  found(quote, written(statement)) !== undefined;

/** The sentences of a statement that no quote says, or says in part. */
export function unquoted(statement: Statement, quotes: readonly string[]): string[] {
  const text = written(statement);
  const left = [...text];
  for (const [from, to] of quotes.flatMap((quote) => found(quote, text) ?? [])) left.fill(" ", from, to);
  let at = 0;
  return statement.flatMap(sentencesOf).filter((sentence) => {
    const from = text.indexOf(sentence, at);
    at = from + sentence.length;
    return !silence(sentence) && /\w/.test(left.slice(from, at).join(""));
  });
}
