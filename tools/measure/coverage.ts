import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import { answer } from "../bench/child.ts";

// Preloaded into the server, which runs unchanged.

/** The path of a compiled module, or of a package's. */
const BUILT = /^.*\/(?:dist\/modules\/|(?=(?:packages|messengers)\/[^/]+\/dist\/))(.*)$/;

/** How often functions of the product ran, by `<file> <name>:<offset>`. */
export type Ran = Record<string, number>;

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

/** Functions that ran since the previous call. */
async function ran(): Promise<Ran> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return Object.fromEntries(
    result.filter(({ url }) => BUILT.test(url) && !/\/(node_modules|tools)\//.test(url)).flatMap(functionsIn),
  );
}

function functionsIn({ url, functions }: Profiler.ScriptCoverage): [string, number][] {
  const file = url.replace(BUILT, "$1");
  return functions
    .filter(({ functionName, ranges }) => (ranges[0]?.count ?? 0) > 0 && !isModule(functionName, ranges))
    .map(({ functionName, ranges: [range] }) => [
      `${file} ${functionName || "(anonymous)"}:${range?.startOffset}`,
      range?.count ?? 0,
    ]);
}

/** A module's top level, which runs at import. */
const isModule = (name: string, [range]: Profiler.CoverageRange[]) => name === "" && range?.startOffset === 0;

answer({ ran });
