import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CONNECT, STEPS } from "./steps.ts";
import { type Exchange, redacted, sentence } from "./trace.ts";
import {
  OBSERVABLE,
  type Seen,
  settingOf,
  UNOBSERVABLE,
  type Unknown,
  type Value,
  type Verdict,
  verdictOn,
} from "./unknowns.ts";

/** Outcome of a step. */
export interface Passed {
  step: string;
  state: "done" | "skipped" | "failed" | "interrupted";
  /** Reason of a failure. */
  why?: string;
  exchanges: Exchange[];
}
export interface Observed {
  seen: ReadonlyMap<Unknown, Seen>;
  also: { about: string; seen: string }[];
  passed: Passed[];
  /** What remains in the account. */
  left: string[];
  own: ReadonlySet<string>;
  secrets: readonly string[];
}

interface Row {
  name: string;
  what: string;
  verdict: Verdict;
  assumed?: Value;
  seen?: string;
  /** Why it was not observed. */
  why?: string;
}

const NAMES = Object.keys(OBSERVABLE) as Unknown[];

/** A row per unknown, unobservable ones last. */
export function rowsOf({ seen, passed }: Observed): Row[] {
  const states = new Map(passed.map(({ step, state, why }) => [step, why ? `${state}: ${why}` : state]));
  const stepOf = (name: Unknown) => [CONNECT, ...STEPS].find(({ sees }) => sees.includes(name))?.name ?? "";
  const rows = NAMES.map((name): Row => {
    const { what, assumed } = OBSERVABLE[name];
    const one = seen.get(name);
    const verdict = verdictOn(name, one);
    const step = stepOf(name);
    return {
      ...{ name, what, verdict, assumed },
      ...(one && { seen: `${one.atLeast ? "more than " : ""}${shown(one.value)}` }),
      ...(verdict === "not seen" && { why: `step ${step}: ${states.get(step) ?? "not made"}` }),
    };
  });
  const never = Object.entries(UNOBSERVABLE).map(
    ([name, why]): Row => ({ name, what: "", verdict: "not seen", why: `cannot be observed: ${why}` }),
  );
  return [...rows, ...never];
}

const shown = (value: Value): string => String(typeof value === "number" ? Math.round(value) : value);

/** The observations as settings for `gangway-sandbox --settings`. */
export function sandboxSettings({ seen }: Pick<Observed, "seen">): Record<string, Value> {
  const settings = [...seen].map(([name, one]): [string, Value | undefined] => [name, settingOf(name, one)]);
  return Object.fromEntries(settings.filter((entry): entry is [string, Value] => entry[1] !== undefined));
}

/** The server's default patience for an agent's message, s. */
const PATIENCE_S = 120;
/** Share of the ack deadline that the server may use. */
const ACK_SHARE = 0.8;

/** Server settings that the observations suggest. */
export function serverSettings(seen: Observed["seen"]): Record<string, string> {
  const markup = seen.get("markup")?.value;
  const deadline = seen.get("ackDeadlineMs");
  const patience = Math.max(5, Math.floor((Number(deadline?.value) * ACK_SHARE) / 1_000));
  return {
    ...((markup === "markdown" || markup === "none") && { GATEWAY_MARKUP: markup }),
    ...(seen.get("accountPage")?.value === "iframe" && { EMBEDDING: "1" }),
    ...(deadline && !deadline.atLeast && patience < PATIENCE_S && { OUTBOUND_PATIENCE_SECONDS: String(patience) }),
  };
}

export const FILES = { report: "report.md", sandbox: "sandbox.json", server: "probe.env" } as const;

/** Throws if the files cannot be written: better before the probe than after it. */
export function makeFiles(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of Object.values(FILES)) closeSync(openSync(join(folder, name), "a", 0o600));
}

/** Masks what may be personal or secret in the other side's words. */
export function cleaned(observed: Observed): Observed {
  const clean = (text: string) => sentence(text, observed.secrets);
  const seen = [...observed.seen].map(([name, one]): [Unknown, Seen] => [
    name,
    typeof one.value === "string" ? { ...one, value: clean(one.value) } : one,
  ]);
  const also = observed.also.map(({ about, seen }) => ({ about, seen: clean(seen) }));
  return { ...observed, seen: new Map(seen), also, left: observed.left.map(clean) };
}

/** Writes the files into the folder and returns their paths. */
export function writeFiles(folder: string, observed: Observed, about: About): string[] {
  makeFiles(folder);
  const write = (name: string, text: string) => {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const settings = Object.entries(serverSettings(observed.seen)).map(([name, value]) => `${name}=${value}\n`);
  return [
    write(FILES.report, reportOf(observed, about)),
    write(FILES.sandbox, `${JSON.stringify(sandboxSettings(observed), null, 2)}\n`),
    write(FILES.server, `# What a probe of a live gateway suggests for the server.\n${settings.join("")}`),
  ];
}

export interface About {
  version: string;
  /** For example 2026-01-31. */
  day: string;
}

/** Maximum number of exchanges shown per step. */
const MAX_SHOWN = 40;

function reportOf(observed: Observed, { version, day }: About): string {
  const rows = rowsOf(observed).map(
    ({ name, verdict, assumed, seen, why }) =>
      `| \`${name}\` | ${verdict} | ${assumed === undefined ? "" : cell(String(assumed))} | ${cell(seen ?? sentence(why ?? "", observed.secrets))} |`,
  );
  const also = observed.also.map(({ about, seen }) => `| ${cell(about)} | ${cell(seen)} |`);
  return `${[
    ...["# Report of a Gangway probe", ""],
    `Gangway ${version}, ${day}. Addresses, keys, ids, names and texts are left out, but for the probe's own.`,
    ...["", "| Unknown | Verdict | Assumed | Seen, or why not |", "| --- | --- | --- | --- |", ...rows],
    ...["", "## Also seen", "", "| What | Seen |", "| --- | --- |", ...also],
    ...["", "## What is left in the account", "", ...observed.left.map((line) => `- ${line}`)],
    ...["", "## Trace", "", ...observed.passed.flatMap((each) => traceOf(each, observed))],
  ].join("\n")}\n`;
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ");

function traceOf({ step, state, why, exchanges }: Passed, observed: Observed): string[] {
  const lines = exchanges.slice(0, MAX_SHOWN).map(({ at, from, what, status, ms, asked, answer }) => {
    const bodies = { ...(asked !== undefined && { asked }), ...(answer !== undefined && { answer }) };
    return `${at} ${from}: ${what} -> ${status} in ${ms} ms ${JSON.stringify(redacted(bodies, observed))}`;
  });
  const more = exchanges.length > MAX_SHOWN ? [`and ${exchanges.length - MAX_SHOWN} more`] : [];
  return [
    `### ${step}: ${state}${why ? ` (${sentence(why, observed.secrets)})` : ""}`,
    "",
    "```",
    ...lines,
    ...more,
    "```",
    "",
  ];
}

/** Lines for the terminal. */
export function linesOf(observed: Observed): string[] {
  const rows = rowsOf(observed);
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.map(({ name, verdict, assumed, seen, why }) => {
    const told = seen === undefined ? why : verdict === "confirmed" ? seen : `${seen}; assumed: ${assumed}`;
    return `${verdict.padEnd(12)}  ${name.padEnd(width)}  ${told}`;
  });
  const also = observed.also.map(({ about, seen }) => `  ${about}: ${seen}`);
  return [
    ...lines,
    ...(also.length > 0 ? ["", "Also seen:", ...also] : []),
    ...["", "Left in the account:", ...observed.left.map((line) => `  ${line}`)],
  ];
}
