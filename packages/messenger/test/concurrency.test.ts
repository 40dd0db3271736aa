import { setImmediate } from "node:timers/promises";
import { eachOf, serialByKey, singleFlight } from "gangway-messenger/concurrency";
import { describe, expect, it } from "vitest";

/** Tasks that end when the test says so, and which of them have started. */
function acts() {
  const begun: string[] = [];
  const ends = new Map<string, { end(): void; fail(): void }>();
  const act = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      begun.push(name);
      ends.set(name, { end: () => resolve(name), fail: () => reject(new Error(name)) });
    });
  return { begun, act, end: (name: string) => ends.get(name)?.end(), fail: (name: string) => ends.get(name)?.fail() };
}

describe("tasks of one key", () => {
  it("run one after another, even after failures, and concurrently with those of other keys", async () => {
    const { begun, act, end, fail } = acts();
    const serial = serialByKey();
    const [first, second] = [serial("a", act("a1")), serial("a", act("a2"))];
    void serial("b", act("b1"));
    await setImmediate();
    expect(begun).toEqual(["a1", "b1"]);
    fail("a1");
    await expect(first).rejects.toThrow("a1");
    await setImmediate();
    expect(begun).toEqual(["a1", "b1", "a2"]);
    end("a2");
    expect(await second).toBe("a2");
  });

  it("share one result while it is pending", async () => {
    const { begun, act, end } = acts();
    const ask = singleFlight<string>();
    const both = [ask("key", act("1")), ask("key", act("2"))];
    end("1");
    expect(await Promise.all(both)).toEqual(["1", "1"]);
    void ask("key", act("3"));
    expect(begun).toEqual(["1", "3"]);
  });
});

describe("a list", () => {
  it("is processed once per item, within the concurrency limit", async () => {
    let [running, most] = [0, 0];
    const seen: number[] = [];
    await eachOf([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      running += 1;
      most = Math.max(most, running);
      await setImmediate();
      seen.push(item);
      running -= 1;
    });
    expect([most, seen.sort()]).toEqual([3, [1, 2, 3, 4, 5, 6, 7]]);
  });

  it("is not processed further after a stop", async () => {
    const abort = new AbortController();
    const seen: number[] = [];
    const each = async (item: number) => {
      seen.push(item);
      if (item === 2) abort.abort();
    };
    await eachOf([1, 2, 3, 4], 1, each, abort.signal);
    expect(seen).toEqual([1, 2]);
  });
});
