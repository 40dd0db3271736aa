import { createFaults } from "gangway-messenger/kit/emulator/faults";
import { seeded } from "gangway-messenger/kit/emulator/random";
import { createEmulator } from "gangway-telegram/emulator/emulator";
import { describe, expect, it } from "vitest";
import { createFaultControl } from "../../../sandbox/src/fault-control.ts";
import { contractJudge } from "../../../sandbox/src/judge.ts";
import { ALL_CELLS, faultOf, legOf, nameOf } from "../../../tools/torture/grid/cells.ts";
import { expectationOf } from "../../../tools/torture/grid/expectation.ts";
import { LEGS } from "../../../tools/torture/grid/legs.ts";
import { pairsOf, pairwise } from "../../../tools/torture/pairwise.ts";

describe("the grid of faults", () => {
  it("has a unique name for each cell, to be played alone", () => {
    expect(new Set(ALL_CELLS.map(nameOf)).size).toBe(ALL_CELLS.length);
    expect(new Set(LEGS.map(({ name }) => name)).size).toBe(LEGS.length);
  });

  it("plays faults that the sandbox accepts, at calls that it knows", () => {
    const faults = createFaults(Date.now);
    const clock = { now: Date.now, after: () => () => {} };
    const desk = createFaultControl({ faults, judge: contractJudge() } as Parameters<typeof createFaultControl>[0], {
      telegram: createEmulator({ origin: () => "", clock, deliver: fetch }),
    });
    for (const cell of ALL_CELLS) desk.plan({ operation: legOf(cell).operation, ...faultOf(cell, "words") });
    expect(desk.list()).toHaveLength(ALL_CELLS.length);
  });

  it("covers every pair of leg, status, body, moment and span in its short form", () => {
    const chosen = pairwise(ALL_CELLS, seeded(1));
    expect(new Set(chosen.flatMap(pairsOf))).toEqual(new Set(ALL_CELLS.flatMap(pairsOf)));
    expect(chosen.length).toBeLessThan(900);
  });

  const cell = (name: string) => {
    const found = ALL_CELLS.find((each) => nameOf(each) === name);
    if (!found) expect.fail(`there is no cell ${name}`);
    return expectationOf(found);
  };

  it.each([
    ["customer's text 400 contract before one", true, true],
    ["customer's text 400 contract after one", true, false],
    ["customer's text 400 html before one", false, false],
    ["customer's text 400 half before one", false, false],
    ["customer's text 404 contract before one", false, false],
    ["customer's text 422 contract before one", true, true],
    ["customer's text 413 contract before outage", false, false],
    ["agent's file record 404 contract before one", true, false],
    ["customer's text 401 contract before one", false, false],
    ["customer's text 503 contract before one", false, false],
    ["agent's text 403 contract before one", true, true],
    ["agent's text 403 html before one", false, false],
    ["ack 400 contract before one", true, false],
    ["ack 404 contract before one", false, false],
  ])("%s: may end a message: %s, must: %s", (name, mayEnd, mustEnd) => {
    expect(cell(name)).toMatchObject({ mayEnd, mustEnd });
  });

  it("requires a report in the chat for a refused edit or deletion only", () => {
    expect(cell("agent's edit 400 contract before one")).toMatchObject({ mustReport: true });
    expect(cell("agent's deletion 403 contract before one")).toMatchObject({ mustReport: true });
    expect(cell("agent's deletion 503 contract before one")).toMatchObject({ mustReport: false });
    expect(cell("agent's reaction 400 contract before one")).toMatchObject({ mustReport: false });
  });

  it("has no doubtful cells where the messenger has a key or gives its own refusal", () => {
    expect(cell("agent's text 502 html before one")).toMatchObject({ doubtful: true, mayGiveUp: false });
    expect(cell("agent's text 502 html before burst")).toMatchObject({ doubtful: true, mayGiveUp: true });
    expect(cell("agent's edit 502 html before burst")).toMatchObject({ doubtful: false, mayGiveUp: false });
    expect(cell("customer's text 502 html after outage")).toMatchObject({ doubtful: false, mayGiveUp: false });
  });
});
