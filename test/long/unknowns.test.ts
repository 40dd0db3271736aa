import { playScript } from "gangway-sandbox/demo/script";
import { describe, expect, it } from "vitest";
import { type Unknowns, VARIANTS } from "../../sandbox/src/unknowns.ts";
import { runningDemo } from "../support/demo.ts";
import { seeded } from "../support/random.ts";

/** A call that is both given up soon and never repeated is lost on a slow machine: what is one unknown is in no run twice. */
const unknownOf = (name: string) => name.replace(/(RetryFor|Timeout)Ms$/, "");

/** Covers every value of every unknown in as few runs as possible; `npm run test:unknowns` runs each alone. */
function combined(): Partial<Unknowns>[] {
  const runs: Partial<Unknowns>[] = [];
  for (const variant of VARIANTS) {
    const names = Object.keys(variant).map(unknownOf);
    const free = runs.find((run) => !Object.keys(run).some((name) => names.includes(unknownOf(name))));
    if (free) Object.assign(free, variant);
    else runs.push({ ...variant });
  }
  return runs;
}

describe("a conversation with a kill succeeds, however the real gateway and CRM behave", () => {
  it.each(combined())("%j", async (settings) => {
    const { server, sandbox, channel } = await runningDemo({ settings });
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const faults = await playScript({ server, crm: sandbox.origin, channel, print, random: seeded(1).next });
    expect(faults, lines.join("\n")).toEqual([]);
  });
});
