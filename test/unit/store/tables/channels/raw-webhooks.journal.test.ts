import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { ChatId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import { byUser } from "../../../../../src/store/care.ts";
import { UNDER } from "../../../../../src/store/tables/channels/raw-webhooks.ts";
import { onPostgres } from "../../../../support/engine.ts";
import { ENGINES, oneChannelOn } from "../../../../support/engines.ts";
import { oneChannel } from "../../../../support/store.ts";

const PLENTY = { entries: 1_000, bytes: 1024 ** 2 };
const row = (chat: string, key: string, entry: unknown = key) => ({ chat, key, entry });
const entriesOf = (rows: { entry: unknown }[]) => rows.map(({ entry }) => entry);

describe.each(ENGINES)("the journal of a chat, on $name,", (engine) => {
  it("is paged by rows and bytes from either end, with at least one row", async () => {
    const { store, channel } = await oneChannelOn(engine);
    const words = ["a", "b", "c"].map((letter) => letter.repeat(100));
    await store.journal.append(
      channel.id,
      words.map((word) => row("chat", word)),
    );
    const read = store.journal;
    const from = (entries: number, bytes: number) => read.after(channel.id, "chat", 0, { entries, bytes });
    const last = (entries: number, bytes: number) => read.latest(channel.id, "chat", { entries, bytes });
    expect(entriesOf(await from(2, 1_000))).toEqual(words.slice(0, 2));
    expect(entriesOf(await last(2, 1_000))).toEqual(words.slice(1));
    // 102 bytes each, with quotes.
    expect(entriesOf(await from(9, 204))).toEqual(words.slice(0, 2));
    expect(entriesOf(await last(9, 203))).toEqual(words.slice(2));
    expect(entriesOf(await from(9, 1))).toEqual(words.slice(0, 1));
    expect(entriesOf(await read.after(channel.id, "chat", 3, PLENTY))).toEqual([]);
    const earlier = async (position: number, entries = 9) =>
      entriesOf(await read.latest(channel.id, "chat", { entries, bytes: 1_000 }, position));
    expect([await earlier(3), await earlier(3, 1), await earlier(1)]).toEqual([
      words.slice(0, 2),
      words.slice(1, 2),
      [],
    ]);
  });

  it("of a long chat is read in pages without a gap or a repeat", async () => {
    const { store, channel } = await oneChannelOn(engine);
    const keys = Array.from({ length: 45 }, (_, n) => `m${n}`);
    const others = keys.map((key) => row("another chat", `other ${key}`));
    for (const [n, key] of keys.entries())
      await store.journal.append(channel.id, [row("chat", key), others[n] ?? row("", "")]);
    await store.journal.append(channel.id, [row("chat", "m7", "a repeat")]);
    expect(entriesOf(await store.journal.after(channel.id, "chat", 0, PLENTY))).toEqual(keys);
    expect(entriesOf(await store.journal.latest(channel.id, "chat", PLENTY))).toEqual(keys);
    const last = await store.journal.latest(channel.id, "chat", { ...PLENTY, entries: 41 });
    expect(entriesOf(last)).toEqual(keys.slice(4));
    expect(entriesOf(await store.journal.latest(channel.id, "chat", PLENTY, last[0]?.position))).toEqual(
      keys.slice(0, 4),
    );
  });

  it("finds rows under a key, in this chat only", async () => {
    const { store, channel } = await oneChannelOn(engine);
    const keys = ["edited:m:1:x", "edited:m:0:y", "edited:m", "edited:m0", "edited:m;", "edited:m-1:0:z", "other"];
    await store.journal.append(channel.id, [
      ...keys.map((key) => row("chat", key)),
      row("another chat", "edited:m:2:w"),
    ]);
    const under = async (key: string) => entriesOf(await store.journal.under(channel.id, "chat", key));
    expect(await under("edited:m")).toEqual(["edited:m:1:x", "edited:m:0:y", "edited:m"]);
    expect(await under("edited:m-1")).toEqual(["edited:m-1:0:z"]);
    expect(await under("edit")).toEqual([]);
  });
});

describe.each(ENGINES)("a log that several chats share, on $name,", (engine) => {
  /** Chats whose names begin alike, or look like what keys are made of. */
  const CHATS = ["a", "a/b", "a:b", 'a"', 'a":', "a;", "", "ä"] as ChatId[];
  const shared = (of: ChatId, key: string) => ({ chat: "log", of, key, entry: `${of} ${key}` });

  it("keeps the keys of each chat apart, and is read in the order of its rows", async () => {
    const { store, channel } = await oneChannelOn(engine);
    for (const of of CHATS) await store.journal.append(channel.id, [shared(of, "m"), shared(of, "m:1")]);
    await store.journal.append(channel.id, [shared("a" as ChatId, "m"), row("log", "m", "of nobody")]);
    const all = CHATS.flatMap((of) => [`${of} m`, `${of} m:1`]);
    expect(entriesOf(await store.journal.after(channel.id, "log", 0, PLENTY))).toEqual([...all, "of nobody"]);
    for (const of of CHATS)
      expect(entriesOf(await store.journal.under(channel.id, "log", "m", of))).toEqual([`${of} m`, `${of} m:1`]);
    expect(entriesOf(await store.journal.under(channel.id, "log", "m"))).toEqual(["of nobody"]);
  });

  it("loses with each chat that chat's rows and no others", async () => {
    const { store, channel, account, clock } = await oneChannelOn(engine);
    for (const chat of CHATS)
      await store.journal.append(channel.id, [row(chat, `own ${chat}`), shared(chat, "m"), shared(chat, "m:1")]);
    for (const [n, chat] of CHATS.slice(0, -1).entries()) {
      clock.leap(1_000);
      const person = { channelId: channel.id, chat };
      await store.erasure.customer(account.id, person, byUser("customer erased"));
      const left = CHATS.slice(n + 1).flatMap((of) => [`${of} m`, `${of} m:1`]);
      expect(entriesOf(await store.journal.after(channel.id, "log", 0, PLENTY)), chat).toEqual(left);
    }
  });
});

it.skipIf(onPostgres)(
  "rows under a key are found by the index of keys, whose cost no visitor can inflate",
  async () => {
    const { folder, store, channel } = await oneChannel();
    await store.journal.under(channel.id, "chat", "edited:m");
    const db = new Sqlite(join(folder, "gangway.db"), { readonly: true });
    const values = { channelId: "x", chat: "y", key: "k" };
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${UNDER}`).all(values) as { detail: string }[];
    db.close();
    const searches = plan.map(({ detail }) => detail).filter((detail) => detail.startsWith("SEARCH journal"));
    expect(searches).toEqual([
      expect.stringMatching(/journal_key \(channel_id=\? AND key=\?\)/),
      expect.stringMatching(/journal_key \(channel_id=\? AND key>\? AND key<\?\)/),
    ]);
  },
);
