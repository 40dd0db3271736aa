import { timingSafeEqual } from "node:crypto";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { sameSecret } from "../../src/domain/ids.ts";
import { openStage } from "../fuzz/stage.ts";

vi.mock("node:crypto", async (original) => {
  const real = await original<typeof import("node:crypto")>();
  return { ...real, timingSafeEqual: vi.fn(real.timingSafeEqual) };
});
const compared = vi.mocked(timingSafeEqual);
beforeEach(() => void compared.mockClear());

describe("the time of an answer", () => {
  it("does not depend on how much of a secret is right: digests of one length are compared as a whole", () => {
    for (const given of ["", "secreT", "secret", "x".repeat(10_000)]) sameSecret(given, "secret");
    expect(compared.mock.calls.map(([a, b]) => [a.byteLength, b.byteLength])).toEqual(Array(4).fill([32, 32]));
  });

  it("does not tell which of the gateway's two secrets is wrong", async () => {
    const { ask, hook, clientId } = await openStage();
    const seen: [number, number][] = [];
    for (const [path, clientid] of [
      [hook, "wrong"],
      ["/gateway/wrong", clientId],
      ["/gateway/wrong", "wrong"],
    ] as const) {
      compared.mockClear();
      const { status } = await ask(path, { method: "POST", headers: { clientid }, body: "{}" });
      seen.push([status, compared.mock.calls.length]);
    }
    expect(seen).toEqual(Array(3).fill([404, 1]));
  });
});
