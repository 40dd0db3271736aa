import { describe, expect, it } from "vitest";
import { VARIANTS } from "../../../../sandbox/src/unknowns.ts";
import { OBSERVABLE } from "../../../../src/operator/probe/unknowns.ts";
import { probedAccount, probing } from "../../../support/probe.ts";
import { combined, faultsOf, GROUPS, type Group } from "../../../support/probed-unknowns.ts";

describe("the probe", () => {
  it("confirms what the sandbox does by default, contradicts what it does otherwise, and writes how to set it so", async () => {
    // Those that are no matter of time; test/release/probe.test.ts has all.
    const [timeless] = GROUPS as [Group];
    const runs = [{}, ...combined(timeless, VARIANTS)].map((settings) => faultsOf(timeless, settings));
    expect((await Promise.all(runs)).flat()).toEqual([]);
  });

  it("sees the same again where the sandbox is set by what it has written", async () => {
    const settings = { duplicateText: "message with passed external_id already exists", normalize: "none" } as const;
    const args = ["--only", "messages"];
    const first = await probing(await probedAccount(settings), { args });
    const again = await probing(await probedAccount(first.settings), { args });
    expect(first.settings).toMatchObject(settings);
    expect(again.settings).toEqual(first.settings);
  });
});

it("has a test both ways for each unknown that can be observed", () => {
  const tested = GROUPS.flatMap((group) => combined(group, VARIANTS).flatMap((settings) => Object.keys(settings)));
  expect(new Set(tested)).toEqual(new Set(Object.keys(OBSERVABLE)));
});
