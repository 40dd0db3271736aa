import { existsSync, readFileSync } from "node:fs";

/** The oldest Node that runs Gangway, as in package.json: better-sqlite3 and undici need it. */
const OLDEST = "22.19.0";
/** When support ends, by major version (nodejs/Release, schedule.json). */
const ENDS: Record<string, string> = {
  22: "2027-04-30",
  23: "2025-06-01",
  24: "2028-04-30",
  25: "2026-06-01",
  26: "2029-04-30",
};

const [major = Number.NaN, minor = Number.NaN] = OLDEST.split(".").map(Number);

/** Undefined if this Node (`process.versions.node`) runs Gangway, else the fault. */
export function runtimeFault(version: string): string | undefined {
  const [ownMajor = 0, ownMinor = 0] = version.split(".").map(Number);
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return undefined;
  const todo = "Install Node.js 24. A checkout brings its own: npm start, npm exec -- gangway <command>";
  return `Gangway needs Node.js ${OLDEST} or newer; this is ${version}. ${todo}`;
}

/** Ends the process, with the fault in one line, if its Node does not run Gangway. */
export function refuseOldNode(own: Pick<NodeJS.Process, "versions" | "stderr" | "exit">): void {
  const fault = runtimeFault(own.versions.node);
  if (fault === undefined) return;
  own.stderr.write(`gangway: ${fault}\n`);
  own.exit(1);
}

/** When the version's support ends or has ended, ms since 1970; undefined if it is not known here. */
export function endOfLife(version: string): number | undefined {
  const day = ENDS[version.split(".")[0] ?? ""];
  return day === undefined ? undefined : Date.parse(day);
}

/** Gangway's version, from package.json. */
export function version(): string {
  const above = new URL("../package.json", import.meta.url);
  // Compiled modules, and chunks of the commands, are one folder deeper than the server.
  const file = existsSync(above) ? above : new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
