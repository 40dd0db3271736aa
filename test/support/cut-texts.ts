import { type Node, SyntaxKind } from "typescript/unstable/ast";
import { API, type Project } from "typescript/unstable/sync";

interface Call extends Node {
  expression: Node & { expression?: Node; name?: Node };
  arguments: readonly Node[];
}

/** A length that somebody has chosen, not a place that was found: `40`, `MAX_NAME`, `MAX_NAME - 1`, `most`. */
const LIMIT = /^(\d+|[A-Z][A-Z\d_]*|max|most|limit|length)\b/;

/** Digests, secrets and dates have no other characters. */
const ASCII = /\b(fingerprint|newSecret|sign|digest|toISOString)\([\s\S]*\)$/;

/** Where a project's sources cut texts at a length by themselves, as `file:line code`; that may leave half a character. */
export function textsCut(tsconfig: string, isOurs: (path: string) => boolean): string[] {
  const api = new API({});
  try {
    const project = api.updateSnapshot({ openProjects: [tsconfig] }).getProjects()[0];
    if (!project) throw new Error(`${tsconfig} cannot be read`);
    return project.program
      .getSourceFileNames()
      .filter(isOurs)
      .flatMap((path) => cutsIn(path, project));
  } finally {
    api.close();
  }
}

function cutsIn(path: string, { program, checker }: Project): string[] {
  const source = program.getSourceFile(path);
  if (!source || !/\.(slice|substring|substr)\(0,/.test(source.text)) return [];
  const found: string[] = [];
  const visit = (node: Node): void => {
    const receiver = receiverIn(node, source.text);
    const type = receiver && checker.getTypeAtLocation(receiver);
    if (type && /^(string|"[^"]*"|`[^`]*`)(?!\[\])/.test(checker.typeToString(type))) {
      const line = source.text.slice(0, node.end).split("\n").length;
      found.push(`${path}:${line} ${source.text.slice(node.pos, node.end).trim()}`);
    }
    node.forEachChild((child) => void visit(child));
  };
  visit(source);
  return found;
}

/** Of `receiver.slice(0, <limit>)`. */
function receiverIn(node: Node, text: string): Node | undefined {
  if (node.kind !== SyntaxKind.CallExpression) return undefined;
  const { expression, arguments: given } = node as Call;
  const said = (part: Node | undefined) => (part ? text.slice(part.pos, part.end).trim() : "");
  const isCut = /^(slice|substring|substr)$/.test(said(expression.name)) && said(given[0]) === "0";
  const isOne = isCut && LIMIT.test(said(given[1])) && !ASCII.test(said(expression.expression));
  return isOne ? expression.expression : undefined;
}
