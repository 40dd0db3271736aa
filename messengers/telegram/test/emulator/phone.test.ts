import { describe, expect, it } from "vitest";
import type { BotCard, Person, PhoneChat, PhoneMessage } from "../../emulator/phone-wire.ts";
import type { Update } from "../../emulator/wire.ts";
import { HARBOUR, ROBIN, stage, until } from "./stage.ts";

async function phoned() {
  const set = await stage();
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${set.origin}/phone/api${path}`, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${answer.status} ${((await answer.json()) as { error: string }).error}`);
    return (await answer.json()) as T;
  };
  const upload = async (bytes: string, type: string, name: string) => {
    const headers = { "content-type": type, "x-file-name": encodeURIComponent(name) };
    const answer = await fetch(`${set.origin}/phone/api/files`, { method: "POST", headers, body: bytes });
    return ((await answer.json()) as { id: string }).id;
  };
  const chats = (person = ROBIN) => ask<PhoneChat[]>("GET", `/${person}/chats`);
  const write = (draft: object) => ask<{ ids: number[] }>("POST", `/${ROBIN}/chats/${HARBOUR}/messages`, draft);
  return { ...set, ask, upload, chats, write };
}

describe("a phone", () => {
  it("sees the initial people and bots, and creates more", async () => {
    const { ask } = await phoned();
    const people = await ask<Person[]>("GET", "/people");
    expect(people.map(({ username, hasPhoto }) => [username, hasPhoto])).toEqual([
      [undefined, false],
      ["robin_field", true],
    ]);
    expect((await ask<BotCard[]>("GET", "/bots")).map(({ username }) => username)).toEqual([
      "harbour_bot",
      "lighthouse_bot",
      "breakwater_bot",
    ]);
    const person = await ask<Person>("POST", "/people", { firstName: "Ash" });
    const bot = await ask<BotCard>("POST", "/bots", { username: "pier_bot", name: "Pier" });
    await ask("POST", `/${person.id}/chats/${bot.id}/messages`, { start: "" });
    await expect(ask("POST", "/bots", { username: "pier", name: "Pier" })).rejects.toThrow("400");
    await expect(ask("POST", `/999/chats/${bot.id}/messages`, { text: "x" })).rejects.toThrow("404");
  });

  it("sends everything a person can", async () => {
    const { upload, write, chats, call } = await phoned();
    const file = await upload("bytes", "application/gzip", "волна.tgs");
    const clip = await upload("bytes", "video/webm", "clip.webm");
    await write({ text: "bold", marks: [{ type: "bold", offset: 0, length: 4 }], forwardedFrom: "Ash" });
    await write({ media: [{ kind: "sticker", file, animated: true, emoji: "🌊" }] });
    await write({ media: [{ kind: "sticker", file: clip }] });
    await write({ text: "both", media: ["video", "video"].map((kind) => ({ kind, file: clip, duration: 4 })) });
    await write({ contact: { phone: "+1 555 010-0042", firstName: "Robin" } });
    await write({ place: { latitude: 1, longitude: 2, title: "Pier", address: "Quay 1" }, replyTo: 1 });
    await write({ poll: { question: "Tea?", options: ["Yes", "No"] } });
    await write({ dice: "🎯" });
    const updates = (await call<Update[]>("getUpdates")).result.map(({ message }) => message);
    expect(updates).toMatchObject([
      { text: "bold", entities: [{ type: "bold" }], forward_origin: { sender_user_name: "Ash" } },
      { sticker: { is_animated: true, is_video: false, emoji: "🌊" } },
      { sticker: { is_animated: false, is_video: true } },
      { caption: "both", video: { duration: 4, file_name: "clip.webm" } },
      { video: { mime_type: "video/webm" } },
      { contact: { phone_number: "15550100042", user_id: ROBIN } },
      { venue: { title: "Pier" }, location: { latitude: 1 }, reply_to_message: { message_id: 1 } },
      { poll: { question: "Tea?" } },
      { dice: { emoji: "🎯" } },
    ]);
    const [chat] = await chats();
    expect(new Set(chat?.messages.slice(3, 5).map(({ album }) => album)).size).toBe(1);
    expect(chat?.messages.at(-3)?.card).toBe("Place: Pier, Quay 1");
  });

  it("serves the files of messages below its origin", async () => {
    const { origin, upload, write, chats } = await phoned();
    await write({ media: [{ kind: "document", file: await upload("a text", "text/plain", "note.txt") }] });
    const url = (await chats())[0]?.messages[0]?.media?.file.url ?? "";
    const answer = await fetch(`${origin}${url}`);
    expect([answer.headers.get("content-type"), await answer.text()]).toEqual(["text/plain", "a text"]);
  });

  it("receives each changed chat at once", async () => {
    const { origin, write, call, telegram } = await phoned();
    const gone = new AbortController();
    const answer = await fetch(`${origin}/phone/api/${ROBIN}/events`, { signal: gone.signal });
    let heard = "";
    void (async () => {
      for await (const chunk of answer.body ?? []) heard += Buffer.from(chunk).toString();
    })().catch(() => undefined);
    await until(() => heard.includes(": open"));
    await write({ text: "hello" });
    await call("sendChatAction", { chat_id: ROBIN, action: "typing" });
    await call("sendMessage", { chat_id: ROBIN, text: "hi" });
    await until(() => heard.includes('"text":"hi"'));
    expect(heard).toContain("event: chat");
    expect(heard).toContain('"typing":true');
    gone.abort();
    await until(() => telegram.world.watchers.size === 0);
  });

  it("changes, deletes, blocks; and a test sees what the bot sees", async () => {
    const { ask, write, control, chats } = await phoned();
    const [id = 0] = (await write({ text: "one" })).ids;
    const [other = 0] = (await write({ text: "two" })).ids;
    const at = `/${ROBIN}/chats/${HARBOUR}`;
    await ask("PATCH", `${at}/messages/${id}`, { text: "changed" });
    await ask("DELETE", `${at}/messages/${other}`);
    await ask("PUT", `${at}/messages/${id}/reaction`, { emoji: "🔥" });
    await ask("POST", `${at}/block`, { blocked: true });
    expect((await chats())[0]?.blocked).toBe(true);
    const shown = (await (await control(`chats/${HARBOUR}/${ROBIN}`, "GET")).json()) as PhoneMessage[];
    expect(shown).toMatchObject([
      {
        id,
        from: "other",
        author: "Robin Field",
        text: "changed",
        edited: true,
        reactions: [{ emoji: "🔥", mine: false }],
      },
    ]);
    await control("clear", "POST", {});
    expect(await chats()).toEqual([]);
  });
});
