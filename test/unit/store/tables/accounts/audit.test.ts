import { describe, expect, it } from "vitest";
import { BACKUP_MADE, byCrm, byUser } from "../../../../../src/store/care.ts";
import { ENGINES, oneChannelOn } from "../../../../support/engines.ts";
import { addAccount } from "../../../../support/store.ts";

describe.each(ENGINES)("the audit, on $name,", (engine) => {
  it("lists acts of one account or of all, by time, the newest first", async () => {
    const { store, clock, account } = await oneChannelOn(engine);
    const other = await addAccount(store, "other");
    const began = clock.now();
    const acts = [
      [account.id, byUser("first")],
      [other.id, byCrm("second")],
      [undefined, { actor: "operator", action: "third", detail: { count: 2, all: true } }],
      [account.id, byUser("fourth")],
    ] as const;
    for (const [id, act] of acts) {
      await store.audit.record(id, act);
      clock.leap(1_000);
    }
    const listed = async (filter: object) =>
      (await store.audit.list({ limit: 9, ...filter })).map(({ action }) => action);
    expect(await listed({})).toEqual(["fourth", "third", "second", "first"]);
    expect(await listed({ limit: 2 })).toEqual(["fourth", "third"]);
    expect(await listed({ accountId: account.id })).toEqual(["fourth", "first"]);
    expect(await listed({ from: began + 1_000, to: began + 2_000 })).toEqual(["third", "second"]);
    const [third] = await store.audit.list({ from: began + 2_000, to: began + 2_000, limit: 1 });
    const what = { actor: "operator", action: "third", detail: { count: 2, all: true } };
    expect(third).toMatchObject({ at: began + 2_000, accountId: undefined, ...what });
  });

  it("says when the newest backup was made", async () => {
    const { store, clock, account } = await oneChannelOn(engine);
    await store.audit.record(account.id, byUser(BACKUP_MADE));
    expect(await store.audit.lastBackup()).toBeUndefined();
    for (const action of [BACKUP_MADE, BACKUP_MADE, "backup restored"]) {
      clock.leap(1_000);
      await store.audit.record(undefined, { actor: "operator", action });
    }
    expect(await store.audit.lastBackup()).toBe(clock.now() - 1_000);
  });

  it("has an entry of an act exactly when the act is stored", async () => {
    const { store, account, channel } = await oneChannelOn(engine);
    const epoch = (await store.channels.ofJob(channel.id))?.epoch ?? 0;
    const by = byUser("channel stopped");
    await store.channels.setState(channel.id, "stopped", "no", { by, epoch: epoch + 1 });
    expect(await store.audit.list({ accountId: account.id, limit: 9 })).toEqual([]);
    await store.channels.setState(channel.id, "stopped", "no", { by, epoch });
    expect(await store.audit.list({ accountId: account.id, limit: 9 })).toMatchObject([
      { action: "channel stopped", detail: { channel: channel.id, kind: "toy" } },
    ]);
  });
});
