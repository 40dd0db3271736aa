import { describe, expect, it } from "vitest";
import { soak } from "../../dist/sandbox/demo/soak.js";
import { temporaryFolder } from "../support/store.ts";

/** The short version of `npm run soak`. */
const play = async (policy: "resend" | "hold") => {
  const lines: string[] = [];
  const result = await soak({
    messages: 240,
    accounts: 2,
    chats: 6,
    killEveryMs: 2_500,
    floods: 0.05,
    lost: 0.05,
    policy,
    folder: temporaryFolder(),
    env: { PATH: process.env.PATH ?? "", LOG_LEVEL: "warn" },
    print: (line) => lines.push(line),
  });
  return { ...result, lines };
};

describe("a crowd at a messenger whose calls fail, before a server that is killed again and again", () => {
  it("loses nothing and keeps its order; what is doubled was perhaps delivered", { timeout: 120_000 }, async () => {
    const { faults, kills, lines } = await play("resend");
    expect(faults, lines.join("\n")).toEqual([]);
    expect(kills).toBeGreaterThan(0);
  });

  it("doubles nothing where what was perhaps delivered is held for a person", { timeout: 120_000 }, async () => {
    const { faults, duplicates, held, lines } = await play("hold");
    expect(faults, lines.join("\n")).toEqual([]);
    expect(duplicates).toBe(0);
    expect(held).toBeGreaterThan(0);
  });
});
