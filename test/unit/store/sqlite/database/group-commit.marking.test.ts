import { chmodSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChatId } from "gangway-messenger/ids";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHousekeeping } from "../../../../../src/module/account/housekeeping.ts";
import { backupStore } from "../../../../../src/store/care/backup.ts";
import { restoreBackup } from "../../../../../src/store/care/restore.ts";
import type { Store } from "../../../../../src/store/store.ts";
import { damageLog, killedCopy } from "../../../../support/damaged-log.ts";
import { agentSays, customerSays } from "../../../../support/events.ts";
import { silentLog } from "../../../../support/log.ts";
import { roomFor } from "../../../../support/room.ts";
import {
  addAccount,
  addChannel,
  diskOf,
  KEY_RING,
  oneChannel,
  RETAIN_DAYS,
  storeIn,
  takeLease,
  temporaryFolder,
  temporaryStore,
} from "../../../../support/store.ts";

const DAY = 86_400_000;

/** A store with accepted messages in both directions; `opens` starts on the folder as a kill would leave it now. */
async function accepting() {
  const { clock, folder, store, account, channel } = await oneChannel();
  const say = async (from: number, to: number) => {
    for (let n = from; n < to; n += 2) {
      await store.outbox.acceptInbound(channel, { events: [customerSays(`c${n}`)] });
      const act = agentSays(`a${n}`);
      await store.outbox.acceptOutbound(channel, { key: `sent:a${n}`, act, patienceMs: 60_000 });
    }
  };
  const mark = () => diskOf(store).mark();
  const opens = async () => {
    const left = killedCopy(folder);
    const again = await temporaryStore(clock, left);
    return acceptedIn(again);
  };
  return { clock, folder, store, account, channel, say, mark, opens };
}

const BY = { actor: "operator", action: "erased" } as const;
const acceptedIn = async (store: Store) => (await store.ledger()).reduce((sum, { accepted }) => sum + accepted, 0);
const markerOf = (folder: string) => join(folder, "database.made");

describe("a database whose log was damaged in the middle", () => {
  it("is not used until an operator accepts the loss, which it counts", async () => {
    const { clock, folder, say, mark } = await accepting();
    await say(0, 300);
    await mark();
    const left = killedCopy(folder);
    damageLog(left);
    const words = /^at least (\d+) accepted messages are missing: .*see gangway doctor$/;
    await expect(temporaryStore(clock, left)).rejects.toMatchObject({
      kind: "incomplete",
      message: expect.stringMatching(words),
    });
    const beside = await storeIn(left, clock, { shared: true });
    onTestFinished(beside.close);
    const { condition } = beside;
    const lost = (await condition.figures()) as { missing?: number };
    expect(lost.missing).toBeGreaterThan(50);
    expect(lost.missing).toBeLessThan(250);
    expect(await condition.acceptLoss?.()).toBe(lost.missing);
    expect(await condition.acceptLoss?.()).toBe(0);
    const goesOn = await temporaryStore(clock, left);
    expect(await acceptedIn(goesOn)).toBe(300 - (lost.missing ?? 0));
  });
});

describe("no message counts as missing", () => {
  it("when the server was killed after a commit and before the mark, or without any mark", async () => {
    const { say, mark, opens } = await accepting();
    expect(await opens()).toBe(0);
    await say(0, 10);
    expect(await opens()).toBe(10);
    await mark();
    expect(await opens()).toBe(10);
    await say(10, 20);
    expect(await opens()).toBe(20);
  });

  it("when an account was erased, also while another goes on", async () => {
    const { store, account, say, mark, opens } = await accepting();
    const other = await addAccount(store, "other");
    await say(0, 10);
    const channel = await addChannel(store, other);
    await store.outbox.acceptInbound(channel, { events: [customerSays("one")] });
    for (const [{ id }, left] of [
      [account, 1],
      [other, 0],
    ] as const) {
      await mark();
      await store.accounts.setActivity(id, { active: false, frozen: false }, 60_000);
      expect(await store.erasure.account(id, BY)).toMatchObject({ gone: true });
      expect(await opens()).toBe(left);
    }
  });

  it("when a customer was erased, or what has ended has expired", async () => {
    const { clock, store, account, channel, say, mark, opens } = await accepting();
    await say(0, 10);
    const lease = await takeLease(store, account.id);
    for (let n = 0; n < 4; n++)
      for (const job of await store.outbox.claim(lease, roomFor(8))) await store.outbox.done(job, {});
    await mark();
    const config = { retainDays: RETAIN_DAYS, rawWebhookDays: 3, keepContents: true };
    const keeping = createHousekeeping({ config, store, clock, log: silentLog });
    clock.leap(400 * DAY);
    let over = false;
    const round = keeping.round().finally(() => (over = true));
    while (!over) await clock.forward(20);
    await round;
    const person = { channelId: channel.id, chat: "chat-1" as ChatId };
    expect(await store.erasure.customer(account.id, person, BY)).toMatchObject({ gone: true });
    expect(await opens()).toBe(10);
  });

  it("when an older backup was restored", async () => {
    const { clock, folder, store, say, mark } = await accepting();
    await say(0, 10);
    const backup = join(temporaryFolder(), "backup.db");
    await backupStore(folder, KEY_RING, clock).write(backup);
    await say(10, 20);
    await mark();
    await store.close();
    const how = { force: true, resend: false, patienceMs: 60_000 };
    await restoreBackup({ backup, folder, keyRing: KEY_RING, clock, ...how });
    expect(await acceptedIn(await temporaryStore(clock, folder))).toBe(10);
  });

  it("when the marker is missing, torn, unreadable or from before it counted messages", async () => {
    const { clock, folder, say, mark } = await accepting();
    await say(0, 300);
    await mark();
    const [words = "", starts = ""] = readFileSync(markerOf(folder), "utf8").split("\n");
    for (const change of [
      (file: string) => rmSync(file),
      (file: string) => truncateSync(file, words.length + 4),
      (file: string) => truncateSync(file),
      (file: string) => writeFileSync(file, `${words}\n${starts}\n`),
      (file: string) => {
        rmSync(file);
        mkdirSync(file);
        chmodSync(file, 0);
      },
    ]) {
      const left = killedCopy(folder);
      damageLog(left);
      change(markerOf(left));
      expect(await acceptedIn(await temporaryStore(clock, left))).toBeLessThan(300);
    }
  });
});
