import type { Profiler } from "node:inspector";

export interface Share {
  name: string;
  /** Percentage of the busy time. */
  percent: number;
}
/** Where a process spent its time; self time unless noted. */
export interface Summary {
  busyPercent: number;
  functions: Share[];
  /** By file of ours, by package, or by activity of the runtime. */
  modules: Share[];
  /** Busy time in each function of ours, callees included. */
  under: Share[];
}

const MAX_SHARES = 25;

function moduleOf({ url, functionName }: { url: string; functionName: string }): string {
  const path = url.replace(/^file:\/\//, "");
  const packed = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
  if (packed) return packed;
  if (path.startsWith("node:")) return path.replace(/^node:internal\/(\w+).*/, "node:internal/$1");
  const own = /\/dist\/(.+)$/.exec(path)?.[1];
  return own ?? (functionName.startsWith("(") ? functionName : "native");
}

function add(sums: Map<string, number>, name: string, micros: number): void {
  sums.set(name, (sums.get(name) ?? 0) + micros);
}

const isProbe = ({ callFrame }: Profiler.ProfileNode): boolean => callFrame.url.endsWith("/probe.js");

/** The call stack of a node, itself first. */
function stackOf(node: Profiler.ProfileNode, parents: Map<number, Profiler.ProfileNode>): Profiler.ProfileNode[] {
  const stack: Profiler.ProfileNode[] = [];
  for (let at: Profiler.ProfileNode | undefined = node; at; at = parents.get(at.id)) stack.push(at);
  return stack;
}

const named = ({ callFrame }: Profiler.ProfileNode): string =>
  `${callFrame.functionName || "(anonymous)"} ${moduleOf(callFrame)}:${callFrame.lineNumber + 1}`;

export function summarised({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Summary {
  const own = new Map<number, number>();
  for (const [n, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + (timeDeltas[n] ?? 0));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)));
  const sums = { functions: new Map(), modules: new Map(), under: new Map() };
  let [idle, busy] = [0, 0];
  for (const node of nodes) {
    const micros = own.get(node.id) ?? 0;
    const stack = stackOf(node, parents);
    if (micros === 0 || stack.some(isProbe)) continue;
    if (node.callFrame.functionName === "(idle)") {
      idle += micros;
      continue;
    }
    busy += micros;
    add(sums.functions, named(node), micros);
    add(sums.modules, moduleOf(node.callFrame), micros);
    const ours = stack.filter(({ callFrame }) => callFrame.url.includes("/dist/"));
    for (const name of new Set(ours.map(named))) add(sums.under, name, micros);
  }
  const percent = (micros: number, of: number) => Math.round((micros / of) * 1000) / 10;
  const top = (of: Map<string, number>): Share[] =>
    [...of]
      .sort((a, b) => b[1] - a[1])
      .slice(0, MAX_SHARES)
      .map(([name, micros]) => ({ name, percent: percent(micros, busy) }));
  const { functions, modules, under } = sums;
  return {
    busyPercent: percent(busy, busy + idle),
    functions: top(functions),
    modules: top(modules),
    under: top(under),
  };
}
