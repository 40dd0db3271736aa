import { describe, expect, it } from "vitest";
import { VARIANTS } from "../../sandbox/src/unknowns.ts";
import { playScript } from "../../tools/demo/script.ts";
import { runningDemo } from "../support/demo.ts";
import { seeded } from "../support/random.ts";

describe("a conversation holds, with a kill in it, whichever way the real gateway and CRM turn out to be", () => {
  it.each(VARIANTS)("%j", { timeout: 60_000 }, async (settings) => {
    const { server, sandbox, channel } = await runningDemo({ settings });
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const faults = await playScript({ server, crm: sandbox.origin, channel, print, random: seeded(1).next });
    expect(faults, lines.join("\n")).toEqual([]);
  });
});
