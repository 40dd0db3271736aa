import { expect, it } from "vitest";
import { createVendorUndelivered } from "../../../../src/module/vendor/undelivered.ts";
import type { DeadFilter, DeadLetter, EndedRef } from "../../../../src/store/messages.ts";

const letter = (id: number, more: Partial<DeadLetter> = {}) =>
  ({ id, accountId: "a", state: "dead", unreadable: false, endedAt: 1, ...more }) as DeadLetter;

/** Over these, of which those that are done leave; `meanwhile` runs after each reading. */
function over(letters: DeadLetter[], meanwhile: (left: Map<number, DeadLetter>) => void = () => {}) {
  const left = new Map(letters.map((each) => [each.id, each]));
  const take = async ([ref]: EndedRef[]) => {
    const letter = left.get(ref?.id ?? 0);
    return letter?.state === "dead" && letter.endedAt === ref?.endedAt && left.delete(letter.id) ? 1 : 0;
  };
  const store = {
    dead: {
      async list({ state, after = 0, limit }: DeadFilter) {
        const found = [...left.values()].filter((each) => each.state === state && each.id > after).slice(0, limit);
        meanwhile(left);
        return found;
      },
      ...{ replay: take, discard: take },
    },
  };
  const woken: string[] = [];
  const parts = { store: store as never, patienceMs: 1, wake: (id: string) => void woken.push(id) };
  return { acts: createVendorUndelivered(parts), left, woken };
}
const many = (count: number, more?: Partial<DeadLetter>, from = 1) =>
  Array.from({ length: count }, (_, n) => letter(from + n, more));

it("skips in a dry run what it skips in earnest: for a retry unreadable ones, for a discard held ones", async () => {
  const how = { token: "t" };
  for (const [what, state, letters] of [
    ["retry", "dead", [letter(1), letter(2, { unreadable: true })]],
    ["discard", "dead", [letter(1), letter(2, { unreadable: true })]],
    ["discard", "held", [letter(1, { state: "held" })]],
  ] as const) {
    const { acts } = over([...letters]);
    const dry = await acts.act(what, { state }, { ...how, dryRun: true });
    expect(await acts.act(what, { state }, { ...how, dryRun: false }), what).toEqual(dry);
    expect(dry.skipped).toHaveLength(what === "retry" || state === "held" ? 1 : 0);
  }
});

it("goes on past any number of skipped ones, and says where a repeat goes on, until there are no more", async () => {
  const { acts, left, woken } = over([...many(25_000, { unreadable: true }), ...many(1_500, {}, 25_001)]);
  const reached: (number | undefined)[] = [];
  const done: number[] = [];
  for (let after: number | undefined; ; ) {
    const result = await acts.act("retry", { state: "dead" }, { token: "t", dryRun: false, after });
    expect(result.more).toBe(result.next !== undefined);
    expect(result.done.length).toBeLessThanOrEqual(1_000);
    reached.push(result.next);
    done.push(...result.done);
    if (!result.more) break;
    after = result.next;
  }
  expect(reached).toEqual([10_000, 20_000, 26_000, undefined]);
  expect([done.length, left.size, woken.length]).toEqual([1_500, 25_000, 2]);
});

it("says that there is no more when it has acted on exactly as many as it may", async () => {
  const { acts } = over(many(1_000));
  const result = await acts.act("discard", { state: "dead" }, { token: "t", dryRun: false });
  expect([result.done.length, result.more, result.next]).toEqual([1_000, false, undefined]);
});

it("leaves alone what ended anew since it was read", async () => {
  for (const what of ["retry", "discard"] as const) {
    const { acts, woken } = over(many(3), (left) => left.set(2, letter(2, { endedAt: 2 })));
    const result = await acts.act(what, { state: "dead" }, { token: "t", dryRun: false });
    expect([result.done, result.skipped, woken]).toEqual([[1, 3], [2], what === "retry" ? ["a"] : []]);
  }
});
