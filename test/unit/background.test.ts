import { expect, it } from "vitest";
import { createBackground } from "../../src/background.ts";
import type { Account } from "../../src/domain/account.ts";
import type { AccountId } from "../../src/domain/ids.ts";
import { silentLog } from "../support/log.ts";
import { oneChannel } from "../support/store.ts";

type Parts = Parameters<typeof createBackground>[0];

/** Background work of which only the taking of accounts does something. */
async function setUp() {
  const stage = await oneChannel();
  const idle = { start: async () => {}, stop: async () => {}, close: () => {}, resume: () => {}, taken: () => {} };
  const changed: string[] = [];
  const warned: string[] = [];
  let tell: (accounts: AccountId[]) => void = () => {};
  const held = new Set([stage.account.id]);
  const holdings = {
    ...idle,
    leaseOf: (accountId: AccountId) => (held.has(accountId) ? { accountId, fence: 1 } : undefined),
    onTaken: (hear: typeof tell) => {
      tell = hear;
    },
  };
  const { worker, feeds, watch, comparing, importing, live, resting, parked, confirmation, ledger, cleanup } =
    Object.fromEntries(
      [
        ...["worker", "feeds", "watch", "comparing", "importing", "live"],
        ...["resting", "parked", "confirmation", "ledger", "cleanup"],
      ].map((name) => [name, idle]),
    ) as unknown as Parts;
  const background = createBackground({
    ...{ worker, feeds, watch, comparing, importing, live, resting, parked, confirmation, ledger, cleanup },
    ...{ store: stage.store, clock: stage.clock, holdings, templates: { sync: idle }, stopMs: 0 },
    announce: (_account: Account) => {},
    changed: (id) => void changed.push(id),
    log: { ...silentLog, warn: (event) => void warned.push(event) },
  });
  await background.start();
  return { ...stage, background, held, changed, warned, tell: () => tell([stage.account.id]) };
}

it("an account that could not be read when it was taken begins later, unless it is another's by then", async () => {
  const { clock, store, account, channel, held, changed, warned, tell } = await setUp();
  const { byId } = store.accounts;
  const away = () => Promise.reject(new Error("the connection was lost"));
  store.accounts.byId = away;
  tell();
  await clock.forward(5_000);
  expect(changed).toEqual([]);
  store.accounts.byId = byId;
  await clock.forward(5_000);
  expect([changed, warned]).toEqual([[channel.id], ["account.not-begun"]]);
  store.accounts.byId = away;
  tell();
  await clock.forward(0);
  held.delete(account.id);
  store.accounts.byId = byId;
  await clock.forward(5_000);
  expect(changed).toEqual([channel.id]);
});
