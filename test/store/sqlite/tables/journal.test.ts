import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { oneChannel } from "../../../support/store.ts";

const PLENTY = { entries: 1_000, bytes: 1024 ** 2 };
const row = (chat: string, key: string, entry: unknown = key) => ({ chat, key, entry });
const entriesOf = (rows: { entry: unknown }[]) => rows.map(({ entry }) => entry);

describe("the journal of a chat", () => {
  it("is paged by rows and bytes from either end, with at least one row", async () => {
    const { store, channel } = await oneChannel();
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

  it("finds rows under a key, in this chat only and by the key index", async () => {
    const { folder, store, channel } = await oneChannel();
    const keys = ["edited:m:1:x", "edited:m:0:y", "edited:m", "edited:m0", "edited:m;", "edited:m-1:0:z", "other"];
    await store.journal.append(channel.id, [
      ...keys.map((key) => row("chat", key)),
      row("another chat", "edited:m:2:w"),
    ]);
    const under = async (key: string) => entriesOf(await store.journal.under(channel.id, "chat", key));
    expect(await under("edited:m")).toEqual(["edited:m:1:x", "edited:m:0:y", "edited:m"]);
    expect(await under("edited:m-1")).toEqual(["edited:m-1:0:z"]);
    expect(await under("edit")).toEqual([]);
    const db = new Sqlite(join(folder, "gangway.db"), { readonly: true });
    const range = "channel_id = 'x' AND chat = 'y' AND key > 'k:' AND key < 'k;'";
    const plan = db.prepare(`EXPLAIN QUERY PLAN SELECT 1 FROM journal INDEXED BY journal_key WHERE ${range}`).all();
    expect((plan as { detail: string }[])[0]?.detail).toMatch(/journal_key \(channel_id=\? AND key>\? AND key<\?\)/);
    db.close();
  });
});
