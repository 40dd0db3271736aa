import { describe, expect, it } from "vitest";
import { DEFAULT_UNKNOWNS, setUnknowns, UNKNOWN_FIELDS } from "../../../../sandbox/src/unknowns.ts";
import { STEP_NAMES } from "../../../../src/operator/probe/step.ts";
import { CONNECT, STEPS } from "../../../../src/operator/probe/steps.ts";
import {
  OBSERVABLE,
  settingOf,
  UNOBSERVABLE,
  type Unknown,
  verdictOn,
} from "../../../../src/operator/probe/unknowns.ts";

describe("the probe's unknowns", () => {
  it("are the sandbox's: each is seen by one step, or has a reason why it cannot be observed", () => {
    const names = UNKNOWN_FIELDS.map(({ name }) => name as string);
    expect([...Object.keys(OBSERVABLE), ...Object.keys(UNOBSERVABLE)].sort()).toEqual([...names].sort());
    const seen = [CONNECT, ...STEPS].flatMap(({ sees }) => sees);
    expect([...seen].sort()).toEqual(Object.keys(OBSERVABLE).sort());
    for (const why of Object.values(UNOBSERVABLE)) expect(why.length).toBeGreaterThan(20);
  });

  it("are assumed as the sandbox has them by default, and take the values that it takes", () => {
    for (const [name, { assumed, ...rest }] of Object.entries(OBSERVABLE)) {
      const field = UNKNOWN_FIELDS.find((each) => each.name === name);
      expect([name, assumed]).toEqual([name, DEFAULT_UNKNOWNS[name as Unknown]]);
      expect([name, "values" in rest ? rest.values : undefined]).toEqual([name, field?.options]);
    }
  });

  it("have their steps in the order of the help", () => {
    expect(STEPS.map(({ name }) => name)).toEqual([...STEP_NAMES]);
  });
});

describe("a verdict", () => {
  it("tolerates the inaccuracy of a time, and of nothing else", () => {
    const of = (name: Unknown, value: number) => verdictOn(name, { value });
    expect([10_000, 10_900, 9_100].map((ms) => of("webhookTimeoutMs", ms))).toEqual(Array(3).fill("confirmed"));
    expect([2_000, 11_500, 60_000].map((ms) => of("webhookTimeoutMs", ms))).toEqual(Array(3).fill("contradicted"));
    expect([of("crmPerSecond", 10), of("crmPerSecond", 11)]).toEqual(["confirmed", "contradicted"]);
  });

  it("on a time that has not ended is contradicted only beyond what is assumed, and no setting", () => {
    const seen = (value: number) => ({ value, atLeast: true }) as const;
    expect(verdictOn("webhookRetryForMs", seen(60_000))).toBe("not seen");
    expect(verdictOn("webhookRetryForMs", seen(1_800_000))).toBe("contradicted");
    expect(settingOf("webhookRetryForMs", seen(1_800_000))).toBeUndefined();
  });

  it("becomes a setting that the sandbox takes, unless it does nothing like it", () => {
    expect(settingOf("webhookTimeoutMs", { value: 30_117 })).toBe(30_000);
    expect(settingOf("webhookTimeoutMs", { value: 10_117 })).toBe(10_000);
    expect(settingOf("markup", { value: "markdown" })).toBe("markdown");
    expect(settingOf("markup", { value: "<b>probe</b>" })).toBeUndefined();
    expect(settingOf("crmPerSecond", { value: 25 })).toBe(25);
    expect(setUnknowns(DEFAULT_UNKNOWNS, { webhookTimeoutMs: 30_000, crmPerSecond: 25 })).toBeTruthy();
  });
});
