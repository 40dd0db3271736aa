import { type Block, type Node, SyntaxKind } from "typescript/unstable/ast";
import { createVirtualFileSystem } from "typescript/unstable/fs";
import { API } from "typescript/unstable/sync";

/** A function or class, inner functions included. */
export interface Measured {
  /** `file name`, for example `http/site.ts createSite`. */
  name: string;
  lines: number;
  kind: "function" | "factory" | "class";
}

/** Maximum lines of a factory's own code, without its inner functions. */
const MAX_FACTORY_LINES = 60;

/**
 * Measures every function and class of these files (path → text). A *factory* only lists methods: it declares, registers
 * and returns what it made, without a branch, loop or `await` of its own.
 */
export function measure(files: Record<string, string>): Measured[] {
  const root = "/measured";
  const paths = Object.keys(files);
  const config = { compilerOptions: { noLib: true, noResolve: true, types: [], jsx: "preserve" }, files: paths };
  const all = Object.fromEntries(paths.map((path) => [`${root}/${path}`, files[path] ?? ""]));
  const fs = createVirtualFileSystem({ ...all, [`${root}/tsconfig.json`]: JSON.stringify(config) });
  const api = new API({ cwd: root, fs });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [`${root}/tsconfig.json`] });
    const project = snapshot.getProjects()[0];
    return paths.flatMap((path) => {
      const source = project?.program.getSourceFile(`${root}/${path}`);
      if (!source) throw new Error(`${path} cannot be read`);
      return measured(path, source, source.text);
    });
  } finally {
    api.close();
  }
}

const FUNCTIONS = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ArrowFunction,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.Constructor,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
]);
const CLASSES = new Set([SyntaxKind.ClassDeclaration, SyntaxKind.ClassExpression]);

function measured(path: string, source: Node, text: string): Measured[] {
  const found: Measured[] = [];
  const visit = (node: Node, name: string) => {
    const own = nameOf(node) ?? name;
    const isFunction = FUNCTIONS.has(node.kind);
    if (isFunction || CLASSES.has(node.kind)) {
      const lines = linesOf(node, text);
      const kind = !isFunction ? "class" : isFactory(node, text) ? "factory" : "function";
      found.push({ name: `${path} ${own}`, lines, kind });
    }
    node.forEachChild((child) => visit(child, own));
  };
  visit(source, "");
  return found;
}

/** The declared name; other nodes take the name of their surroundings. */
function nameOf(node: Node): string | undefined {
  if (node.kind === SyntaxKind.Constructor) return "constructor";
  const { name } = node as Node & { name?: Node & { text?: string } };
  return FUNCTIONS.has(node.kind) || CLASSES.has(node.kind) || node.kind === SyntaxKind.VariableDeclaration
    ? name?.text
    : undefined;
}

const linesOf = (node: Node, text: string) => text.slice(node.getStart(), node.end).split("\n").length;

const DECLARES = new Set([
  SyntaxKind.VariableStatement,
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.ExpressionStatement,
  SyntaxKind.ReturnStatement,
]);
const THINGS = new Set([SyntaxKind.ObjectLiteralExpression, SyntaxKind.Identifier]);
const WAITS = new Set([SyntaxKind.AwaitExpression, SyntaxKind.YieldExpression]);

function isFactory(node: Node, text: string): boolean {
  const { body } = node as Node & { body?: Node };
  if (body?.kind !== SyntaxKind.Block) return false;
  const statements = [...(body as Block).statements];
  const last = statements.at(-1) as (Node & { expression?: Node }) | undefined;
  if (last?.kind !== SyntaxKind.ReturnStatement || !last.expression || !THINGS.has(last.expression.kind)) return false;
  if (!statements.every(({ kind }) => DECLARES.has(kind))) return false;
  const { waits, innerLines } = own(body, text);
  return !waits && linesOf(node, text) - innerLines <= MAX_FACTORY_LINES;
}

/** Whether it awaits anything itself, and the lines of its inner functions. */
function own(node: Node, text: string): { waits: boolean; innerLines: number } {
  let found = { waits: WAITS.has(node.kind), innerLines: 0 };
  node.forEachChild((child) => {
    const inner = FUNCTIONS.has(child.kind) ? { waits: false, innerLines: linesOf(child, text) - 1 } : own(child, text);
    found = { waits: found.waits || inner.waits, innerLines: found.innerLines + inner.innerLines };
  });
  return found;
}
