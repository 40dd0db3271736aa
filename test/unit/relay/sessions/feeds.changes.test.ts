import type { ChannelId } from "gangway-messenger/ids";
import { expect, it } from "vitest";
import type { AccountId } from "../../../../src/domain/ids.ts";
import { followChanges } from "../../../../src/relay/sessions/feeds.ts";
import { silentLog } from "../../../support/log.ts";
import { oneChannel } from "../../../support/store.ts";

it("a change by another process is followed although it could not be read at first", async () => {
  const { clock, store, account, channel } = await oneChannel();
  let hear: (ids?: AccountId[]) => void = () => {};
  let fails = 0;
  const channels = {
    ...store.channels,
    onChanged: (listener: typeof hear) => {
      hear = listener;
    },
    list: async (id: AccountId) => {
      if (fails-- > 0) throw new Error("the connection was lost");
      return store.channels.list(id);
    },
  };
  const changed: ChannelId[] = [];
  const warned: string[] = [];
  followChanges({
    store: { accounts: store.accounts, channels },
    sessions: { accounts: () => new Set(), keepOnly: () => {} },
    holdings: { accounts: () => [account.id].values(), leaseOf: () => ({ accountId: account.id, fence: 1 }) },
    clock,
    changed: (id) => void changed.push(id),
    resumed: () => {},
    log: { ...silentLog, warn: (event) => void warned.push(event) },
  });
  fails = 3;
  hear([account.id]);
  await clock.forward(0);
  expect(changed).toEqual([]);
  await clock.forward(10_000);
  expect([changed, warned]).toEqual([[channel.id], ["account.not-followed"]]);
});
