import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { sameSecret } from "gangway-messenger/ids";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStage } from "../../fuzz/stage.ts";

/** Lengths of what was compared, in bytes. */
const compared: [number, number][] = [];
const { timingSafeEqual } = crypto;
const install = (compare: typeof timingSafeEqual) => {
  crypto.timingSafeEqual = compare;
  syncBuiltinESMExports();
};
beforeEach(() => {
  compared.length = 0;
  install((a, b) => {
    compared.push([a.byteLength, b.byteLength]);
    return timingSafeEqual(a, b);
  });
});
afterEach(() => install(timingSafeEqual));

describe("the time of an answer", () => {
  it("does not depend on how much of a secret is right: digests of one length are compared as a whole", () => {
    for (const given of ["", "secreT", "secret", "x".repeat(10_000)]) sameSecret(given, "secret");
    expect(compared).toEqual(Array(4).fill([32, 32]));
  });

  it("does not tell which of the gateway's two secrets is wrong", async () => {
    const { ask, hook, clientId } = await openStage();
    const seen: [number, number][] = [];
    for (const [path, clientid] of [
      [hook, "wrong"],
      ["/gateway/wrong", clientId],
      ["/gateway/wrong", "wrong"],
    ] as const) {
      compared.length = 0;
      const { status } = await ask(path, { method: "POST", headers: { clientid }, body: "{}" });
      seen.push([status, compared.length]);
    }
    expect(seen).toEqual(Array(3).fill([404, 1]));
  });
});
