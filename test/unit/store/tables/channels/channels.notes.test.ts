import type { ChannelId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import { ENGINES, oneChannelOn } from "../../../../support/engines.ts";
import { addAccount, addChannel } from "../../../../support/store.ts";

describe.each(ENGINES)("on $name", (engine) => {
  it("notes belong to one channel, and are deleted when emptied", async () => {
    const { store, channel } = await oneChannelOn(engine);
    await store.notes.set(channel.id, [{ key: "cursor", value: "7" }]);
    await store.notes.set(channel.id, [
      { key: "cursor", value: "8" },
      { key: "other", value: "ÿ\u2028🙂" },
    ]);
    expect(await store.notes.get(channel.id, "cursor")).toBe("8");
    expect(await store.notes.get(channel.id, "other")).toBe("ÿ\u2028🙂");
    expect(await store.notes.get("another" as ChannelId, "cursor")).toBeUndefined();
    await store.notes.set(channel.id, [{ key: "other", value: "" }]);
    expect(await store.notes.get(channel.id, "other")).toBeUndefined();
  });

  it("notes that are merged lose nothing of requests that were read side by side", async () => {
    const { store, channel } = await oneChannelOn(engine);
    const part = (number: string, text: string | null) => ({
      key: "album:1",
      value: JSON.stringify({ [number]: text }),
      merge: true as const,
    });
    await Promise.all(["1", "2", "3"].map((n) => store.notes.set(channel.id, [part(n, `text ${n}`)])));
    await store.notes.set(channel.id, [part("2", null)]);
    const value = JSON.parse((await store.notes.get(channel.id, "album:1")) ?? "");
    expect(value).toEqual({ 1: "text 1", 2: null, 3: "text 3" });
  });

  it("texts keep each of their characters, also those that PostgreSQL's texts cannot hold", async () => {
    const { store, channel, rows } = await oneChannelOn(engine);
    const texts = ["\0", "a\0b\0\0", "\uFDD0", "\uFDD00", "\0\uFDD01\0", "a"];
    for (const [n, text] of texts.entries()) {
      await store.notes.set(channel.id, [{ key: `k${text}`, value: `v${text}` }]);
      await store.journal.append(channel.id, [{ chat: text, key: text, entry: text }]);
      await store.channels.change(
        channel.id,
        { name: text, settings: { text } },
        { actor: "operator", action: "named" },
      );
      expect(await store.notes.get(channel.id, `k${text}`)).toBe(`v${text}`);
      expect(await store.journal.after(channel.id, text, 0, { entries: 9, bytes: 999 })).toMatchObject([
        { entry: text },
      ]);
      expect(await store.channels.ofJob(channel.id)).toMatchObject({ name: text, settings: { text } });
      expect(await rows("note")).toHaveLength(n + 1);
    }
  });

  it("a login belongs to one channel at a time", async () => {
    const { store, channel: one } = await oneChannelOn(engine);
    const two = await addChannel(store, await addAccount(store, "two"));
    expect(await store.channels.reserveIdentity(one.id, "telegram:7")).toBe(true);
    expect(await store.channels.reserveIdentity(one.id, "telegram:7")).toBe(true);
    expect(await store.channels.reserveIdentity(two.id, "telegram:7")).toBe(false);
    await store.channels.setState(one.id, "stopped", "the token was revoked");
    expect(await store.channels.reserveIdentity(two.id, "telegram:7")).toBe(true);
    expect(await store.channels.reserveIdentity(one.id, "telegram:7")).toBe(false);
  });
});
