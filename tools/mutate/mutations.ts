import { parseSync } from "oxc-parser";

/** A small change to a source file that its tests should notice. */
export interface Mutation {
  /** Offsets in the text. */
  start: number;
  end: number;
  replacement: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  operator?: string;
  value?: unknown;
  [name: string]: unknown;
}

const SWAPPED: Record<string, string> = {
  ...{ "<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===" },
  ...{ "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "/" },
};
/** Nodes of TypeScript that hold an expression; the others are types. */
const HOLDING = /^TS(As|NonNull|Satisfies)/;

/**
 * Every mutation of a TypeScript text, in its order: operators, conditions, numbers and flags changed, and calls left out whose
 * result nobody uses. No two make the same text.
 */
export function mutationsOf(text: string): Mutation[] {
  const found = new Map<string, Mutation>();
  const change = ({ start, end }: Pick<Node, "start" | "end">, replacement: string) => {
    const mutation = { start, end, replacement };
    found.set(mutated(text, mutation), mutation);
  };
  const visit = (node: Node): void => {
    if (node.type === "ImportDeclaration" || (node.type.startsWith("TS") && !HOLDING.test(node.type))) return;
    changesOf(node, text, change);
    for (const [name, child] of Object.entries(node)) {
      // A key, or a property's name.
      if ((name === "key" || name === "property") && !node.computed) continue;
      for (const each of [child].flat()) if (isNode(each)) visit(each);
    }
  };
  visit(parseSync("mutant.ts", text).program as unknown as Node);
  return [...found.values()].sort((a, b) => a.start - b.start || a.end - b.end);
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

type Change = (at: Pick<Node, "start" | "end">, replacement: string) => void;

function changesOf(node: Node, text: string, change: Change): void {
  const read = ({ start, end }: Node) => text.slice(start, end);
  const { type, operator = "", value } = node;
  if (type === "BinaryExpression" || type === "LogicalExpression") {
    const [left, right] = [node.left as Node, node.right as Node];
    const start = text.indexOf(operator, left.end);
    // A plus that joins texts has no minus.
    const joins = operator === "+" && /["'`]/.test(read(node));
    if (SWAPPED[operator] && !joins && start < right.start)
      change({ start, end: start + operator.length }, SWAPPED[operator]);
  }
  if (type === "IfStatement" || type === "ConditionalExpression") {
    const test = node.test as Node;
    change(test, `!(${read(test)})`);
  }
  if (type === "UnaryExpression" && operator === "!") change(node, read(node.argument as Node));
  if (type === "Literal" && typeof value === "number") change(node, `(${read(node)} + 1)`);
  if (type === "Literal" && typeof value === "boolean") change(node, String(!value));
  if (type === "ExpressionStatement" && isCall(node.expression as Node)) change(node, ";");
}

const isCall = ({ type, argument, operator }: Node): boolean =>
  type === "CallExpression" || ((type === "AwaitExpression" || operator === "void") && isCall(argument as Node));

export const mutated = (text: string, { start, end, replacement }: Mutation): string =>
  text.slice(0, start) + replacement + text.slice(end);

/** The line of a mutation, from 1, and how it reads before and after. */
export function shownIn(text: string, mutation: Mutation): { line: number; before: string; after: string } {
  const line = text.slice(0, mutation.start).split("\n").length;
  const lineOf = (of: string) => (of.split("\n")[line - 1] ?? "").trim();
  return { line, before: lineOf(text), after: lineOf(mutated(text, mutation)) };
}
