import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, it } from "vitest";
import type { ChannelId } from "../../../../src/domain/ids.ts";
import { addAccount, addChannel, temporaryFolder, temporaryStore } from "../../../support/store.ts";

it("notes belong to one channel, are stored with their events, and are deleted when emptied", async () => {
  const folder = temporaryFolder();
  const store = await temporaryStore(undefined, folder);
  const channel = await addChannel(store, await addAccount(store));
  await store.outbox.acceptInbound(channel, { events: [], notes: [{ key: "cursor", value: "7" }] });
  await store.notes.set(channel.id, [
    { key: "cursor", value: "8" },
    { key: "other", value: "x" },
  ]);
  expect(await store.notes.get(channel.id, "cursor")).toBe("8");
  expect(await store.notes.get("another" as ChannelId, "cursor")).toBeUndefined();
  await store.notes.set(channel.id, [{ key: "other", value: "" }]);
  expect(await store.notes.get(channel.id, "other")).toBeUndefined();
});

it("notes that are merged lose nothing of requests that were read side by side", async () => {
  const store = await temporaryStore();
  const channel = await addChannel(store, await addAccount(store));
  const part = (number: string, text: string | null) => ({
    key: "album:1",
    value: JSON.stringify({ [number]: text }),
    merge: true as const,
  });
  await Promise.all(
    ["1", "2", "3"].map((n) => store.outbox.acceptInbound(channel, { events: [], notes: [part(n, `text ${n}`)] })),
  );
  await store.notes.set(channel.id, [part("2", null)]);
  expect(JSON.parse((await store.notes.get(channel.id, "album:1")) ?? "")).toEqual({
    1: "text 1",
    2: null,
    3: "text 3",
  });
});

it("a note that was read is read anew once it is changed, also by another connection", async () => {
  const folder = temporaryFolder();
  const store = await temporaryStore(undefined, folder);
  const { id } = await addChannel(store, await addAccount(store));
  const read = () => store.notes.get(id, "keyboard:7");
  expect(await read()).toBeUndefined();
  await store.notes.set(id, [{ key: "keyboard:7", value: "1" }]);
  expect(await read()).toBe("1");
  await store.notes.set(id, [{ key: "keyboard:7", value: "2" }]);
  expect(await read()).toBe("2");
  const other = new Sqlite(join(folder, "gangway.db"));
  other.exec("UPDATE note SET value = '3'");
  await new Promise(setImmediate);
  expect(await read()).toBe("3");
  other.exec("DELETE FROM note");
  other.close();
  await new Promise(setImmediate);
  expect(await read()).toBeUndefined();
  await store.notes.set(id, [{ key: "keyboard:7", value: "4" }]);
  expect(await read()).toBe("4");
  await store.notes.set(id, [{ key: "keyboard:7", value: "" }]);
  expect(await read()).toBeUndefined();
});

it("a login belongs to one channel at a time", async () => {
  const store = await temporaryStore();
  const one = await addChannel(store, await addAccount(store, "one"));
  const two = await addChannel(store, await addAccount(store, "two"));
  expect(await store.channels.reserveIdentity(one.id, "telegram:7")).toBe(true);
  expect(await store.channels.reserveIdentity(one.id, "telegram:7")).toBe(true);
  expect(await store.channels.reserveIdentity(two.id, "telegram:7")).toBe(false);
  await store.channels.setState(one.id, "stopped", "the token was revoked");
  expect(await store.channels.reserveIdentity(two.id, "telegram:7")).toBe(true);
  expect(await store.channels.reserveIdentity(one.id, "telegram:7")).toBe(false);
});
