import { confirmed, failedCall, foreignAnswer, rowFor } from "gangway-messenger/answers";
import { DeliveryError } from "gangway-messenger/errors";
import { describe, expect, it } from "vitest";

const DEAD = new DeliveryError({ type: "reconnect" }, "refused");
const signal = new AbortController().signal;
const otherwise = () => new DeliveryError({ type: "retry" }, "refused once");
const failing = (error: Error) => async () => {
  throw error;
};

describe("a table of refusals", () => {
  const rows: [number, string | RegExp, string][] = [
    [403, "blocked", "by its code"],
    [403, /group/i, "by its words"],
    [403, /^/, "any other"],
  ];
  it.each([
    [403, "blocked", "by its code"],
    [403, "blocked by the Group", "by its words"],
    [403, "", "any other"],
    [404, "blocked", undefined],
  ])("gives the first row that fits %i %s", (status, said, meaning) => {
    expect(rowFor(rows, status, said)?.[2]).toBe(meaning);
  });
});

describe("a call that failed", () => {
  it.each([
    ["no", "refused", false, "retry"],
    ["perhaps", "timeout", false, "unsure"],
    ["perhaps", "timeout", true, "retry"],
    ["no", "blocked", false, "reject"],
    ["no", "source-too-large", false, "reject"],
  ] as const)("that was sent %s (%s; repeatable: %s) is %s", (sent, reason, repeatable, type) => {
    const failure = { type: "failure" as const, sent, reason, detail: "host" };
    expect(failedCall("Pager", failure, "send", repeatable).verdict.type).toBe(type);
  });
});

describe("an answer that is not the network's", () => {
  it.each([
    [200, false, "unsure"],
    [302, false, "retry"],
    [404, false, "retry"],
    [502, false, "unsure"],
    [502, true, "retry"],
    [503, false, "retry"],
  ])("with status %i (repeatable: %s) is %s", (status, repeatable, type) => {
    expect(foreignAnswer("Pager", status, "send", repeatable).verdict.type).toBe(type);
  });
});

describe("a credential", () => {
  it("is dead when the probe is refused, too", async () => {
    const probe = failing(DEAD);
    await expect(confirmed(failing(DEAD), { probe, otherwise, signal })).rejects.toBe(DEAD);
  });

  it("is good when the probe succeeds", async () => {
    const probe = async () => "it is you";
    await expect(confirmed(failing(DEAD), { probe, otherwise, signal })).rejects.toThrow("refused once");
  });

  it("is not probed after an abort, nor for any other failure", async () => {
    const probe = failing(new Error("was probed"));
    const aborted = AbortSignal.abort();
    await expect(confirmed(failing(DEAD), { probe, otherwise, signal: aborted })).rejects.toBe(DEAD);
    const other = otherwise();
    await expect(confirmed(failing(other), { probe, otherwise, signal })).rejects.toBe(other);
    expect(await confirmed(async () => "done", { probe, otherwise, signal })).toBe("done");
  });
});
