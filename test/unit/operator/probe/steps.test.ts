import { describe, expect, it } from "vitest";
import { VARIANTS } from "../../../../sandbox/src/unknowns.ts";
import { OBSERVABLE } from "../../../../src/operator/probe/unknowns.ts";
import { probedAccount, probing } from "../../../support/probe.ts";
import { combined, faultsOf, GROUPS } from "../../../support/probed-unknowns.ts";

describe("the probe", () => {
  it("confirms what the sandbox does by default, contradicts what it does otherwise, and writes how to set it so", async () => {
    const quick = GROUPS.filter(({ awaited }) => !awaited).map((group) => faultsOf(group, {}));
    const others = GROUPS.flatMap((group) => combined(group, VARIANTS).map((settings) => faultsOf(group, settings)));
    // At the same time: each waits more than it computes.
    expect((await Promise.all([...quick, ...others])).flat()).toEqual([]);
  });

  it("sees the same again where the sandbox is set by what it has written", async () => {
    const settings = { duplicateText: "message with passed external_id already exists", normalize: "none" } as const;
    const args = ["--only", "messages"];
    const first = await probing(await probedAccount(settings), { args });
    const again = await probing(await probedAccount(first.settings), { args });
    expect(first.settings).toMatchObject(settings);
    expect(again.settings).toEqual(first.settings);
  });

  it("tells of webhooks whether they wait for each other, and of messages how large they may be", async () => {
    const { also } = await probing(await probedAccount({}, 10), { args: ["--only", "texts,parallel,limits,messages"] });
    expect(Object.fromEntries(also.map(({ about, seen }) => [about, seen]))).toMatchObject({
      "an agent's text": "comes as written",
      "webhooks of one chat": "wait for each other",
      "webhooks of several chats": "wait for each other",
      "a text of 65535 characters": "taken (200)",
      "a text of 65536 characters": "refused (400)",
      "20 items": "taken (200)",
      "21 items": "refused (400)",
      "an external_id is known": "in the whole channel: another chat's answers 400",
    });
  });
});

it("has a test both ways for each unknown that can be observed", () => {
  const tested = GROUPS.flatMap((group) => combined(group, VARIANTS).flatMap((settings) => Object.keys(settings)));
  expect(new Set(tested)).toEqual(new Set(Object.keys(OBSERVABLE)));
});
