import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { DEFAULT_UNKNOWNS, type Unknowns } from "../../sandbox/src/unknowns.ts";
import { CONNECT, STEPS } from "../../src/operator/probe/steps.ts";
import type { Unknown } from "../../src/operator/probe/unknowns.ts";
import { type Probed, probedAccount, probing, stillAccount } from "./probe.ts";

/** Steps that are tested together. */
export interface Group {
  only: string;
  /** How many times as fast as ours the time goes. */
  speed(settings: Partial<Unknowns>): number;
  /** Rates: the time stands still meanwhile. */
  still?: true;
  /** How long an answer is awaited that never comes, in our time. Long by default. */
  awaited?: "webhookTimeoutMs" | "callbackTimeoutMs";
  /** Hidden by each other's other value. */
  apart?: true;
}
const as = (speed: number) => () => speed;

export const GROUPS: Group[] = [
  { only: "messages,templates,limits,crm,disabled", speed: as(1) },
  { only: "texts,reads,acks,account-page", speed: as(10) },
  { only: "repeats", speed: as(100) },
  // Other deadlines than the default ones are short.
  { only: "ack-deadline,waiting", speed: (settings) => ("ackDeadlineMs" in settings ? 1 : 300) },
  { only: "rate", speed: as(1), still: true, apart: true },
  { only: "crm-rate", speed: as(1), still: true, apart: true },
  { only: "patience", speed: as(100), awaited: "webhookTimeoutMs" },
  { only: "callbacks", speed: as(100), awaited: "callbackTimeoutMs" },
];

/** Those that its steps see, and what connecting shows, which belongs to the first. */
const namesIn = ({ only }: Group): Unknown[] => {
  const isFirst = only === GROUPS[0]?.only;
  const steps = STEPS.filter(({ name }) => only.split(",").includes(name));
  return [...(isFirst ? CONNECT.sees : []), ...steps.flatMap(({ sees }) => sees)];
};

/** Each unknown of the group set otherwise, in as few runs as possible. */
export function combined(group: Group, variants: readonly Partial<Unknowns>[]): Partial<Unknowns>[] {
  const names = namesIn(group);
  const runs: Partial<Unknowns>[] = [];
  for (const variant of variants.filter((each) => Object.keys(each).every((name) => names.includes(name as Unknown)))) {
    const free = runs.find((run) => !group.apart && Object.keys(variant).every((name) => !(name in run)));
    if (free) Object.assign(free, variant);
    else runs.push({ ...variant });
  }
  return runs;
}

/** What another one hides: without a limit there is no refusal, and a window of the clock forgets refused calls. */
const isHidden = (name: Unknown, { crmPerSecond, rateWindow }: Partial<Unknowns>): boolean =>
  (name === "crmTooMany" && crmPerSecond === 0) || (name === "refusedCount" && rateWindow === "fixed");

/** The last act before an answer is not given. */
const BEGINS_TO_WAIT = /Is never answered|switch the module .* on$/;

/** A probe at an account that is set so. The faults of what it has seen. */
export async function faultsOf(group: Group, settings: Partial<Unknowns>): Promise<string[]> {
  const { only, still, awaited, speed } = group;
  const account = still ? stillAccount(settings) : await probedAccount(settings, speed(settings));
  const tell = (line: string) => {
    if (!awaited || !BEGINS_TO_WAIT.test(line)) return;
    account.pace(1);
    setTimeout(() => account.pace(speed(settings)), { ...DEFAULT_UNKNOWNS, ...settings }[awaited] + 1_000);
  };
  const probed = await probing(account, { args: ["--only", only, "--wait", "60"], tell });
  const [file = ""] = probed.files.filter((name) => name.endsWith("sandbox.json"));
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(probed.settings);
  return faultsIn(probed, group, settings).map((fault) => `${only} ${JSON.stringify(settings)}: ${fault}`);
}

/** Confirmed is what is as by default, contradicted what is otherwise, and written so that the sandbox does the same. */
function faultsIn({ unknowns, settings, faults }: Probed, group: Group, set: Partial<Unknowns>): string[] {
  const all: Unknowns = { ...DEFAULT_UNKNOWNS, ...set };
  const wrong = namesIn(group).flatMap((name) => {
    if (isHidden(name, set)) return [];
    const verdict = unknowns.find((each) => each.name === name)?.verdict;
    const expected = name in set ? "contradicted" : "confirmed";
    const isSame = settings[name] === all[name] || (name.endsWith("Ms") && isNear(settings[name], all[name]));
    return verdict === expected && isSame ? [] : [`${name} is ${verdict} as ${settings[name]}`];
  });
  return [...faults, ...wrong];
}

const isNear = (one: unknown, other: unknown): boolean =>
  Math.abs(Number(one) - Number(other)) < Math.max(1_000, Number(other) / 10);
