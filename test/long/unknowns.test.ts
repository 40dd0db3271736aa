import { playScript } from "gangway-sandbox/demo/script";
import { describe, expect, it } from "vitest";
import { type Unknowns, VARIANTS } from "../../sandbox/src/unknowns.ts";
import { runningDemo } from "../support/demo.ts";
import { seeded } from "../support/random.ts";

/** A slow machine takes longer: a call that the gateway gives up is repeated by its agent, as another message. */
const OF_TIME = ["webhookTimeoutMs", "callbackTimeoutMs"];

/** Covers every value of the other unknowns in as few runs as possible; `npm run test:unknowns` runs each alone. */
function combined(): Partial<Unknowns>[] {
  const runs: Partial<Unknowns>[] = [];
  for (const variant of VARIANTS.filter((each) => !OF_TIME.some((name) => name in each))) {
    const free = runs.find((run) => Object.keys(variant).every((name) => !(name in run)));
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
