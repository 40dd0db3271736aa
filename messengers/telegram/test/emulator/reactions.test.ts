import { describe, expect, it } from "vitest";
import type { Message } from "../../emulator/wire.ts";
import { phoned } from "./phones.ts";
import { HARBOUR, ROBIN, WREN } from "./stage.ts";

describe("reactions", () => {
  async function crewed(admin: boolean) {
    const set = await phoned();
    const group = set.phone.makeGroup({ title: "Crew", people: [ROBIN, WREN], bot: HARBOUR, supergroup: true, admin });
    const [id = 0] = await set.write({ text: "Tea?" }, group);
    await set.heard();
    const react = (person: number, emoji: string | null, as?: number) =>
      set.ask("PUT", `/${person}/chats/${group}/messages/${id}/reaction`, { emoji, as });
    return { ...set, group, id, react };
  }

  it("of several people, and of one in a chat's name, reach an administrator", async () => {
    const { react, heard, group, id } = await crewed(true);
    await react(ROBIN, "👍");
    await react(WREN, "🔥");
    await react(WREN, "👍", group);
    await react(ROBIN, null);
    const received = (await heard()).map((each) => each.message_reaction);
    const about = { chat: { id: group, type: "supergroup" }, message_id: id };
    const typed = (emoji: string) => [{ type: "emoji", emoji }];
    expect(received).toMatchObject([
      { ...about, user: { id: ROBIN }, old_reaction: [], new_reaction: typed("👍") },
      { ...about, user: { id: WREN }, new_reaction: typed("🔥") },
      { ...about, actor_chat: { id: group, title: "Crew" }, new_reaction: typed("👍") },
      { ...about, user: { id: ROBIN }, old_reaction: typed("👍"), new_reaction: [] },
    ]);
    expect(received.map((each) => Object.keys(each as object).includes("user"))).toEqual([true, true, false, true]);
  });

  it("in a group reach only an administrator bot", async () => {
    const { react, heard } = await crewed(false);
    await react(ROBIN, "👍");
    expect(await heard()).toEqual([]);
  });

  it("to a channel's post are counted, without names", async () => {
    const { control, call, heard, ask } = await phoned();
    const made = await control("channels", "POST", { title: "News", bot: HARBOUR, people: [ROBIN, WREN] });
    const { id } = (await made.json()) as { id: number };
    const { result } = await call<Message>("sendMessage", { chat_id: id, text: "news" });
    const react = (person: number, emoji: string) =>
      ask("PUT", `/${person}/chats/${id}/messages/${result.message_id}/reaction`, { emoji });
    await react(ROBIN, "👍");
    await react(WREN, "👍");
    await react(WREN, "🔥");
    const counts = (await heard()).map((each) => each.message_reaction_count as { reactions: unknown[] });
    const counted = (emoji: string, total_count: number) => ({ type: { type: "emoji", emoji }, total_count });
    expect(counts.map(({ reactions }) => reactions)).toEqual([
      [counted("👍", 1)],
      [counted("👍", 2)],
      [counted("👍", 1), counted("🔥", 1)],
    ]);
    expect(counts[0]).toMatchObject({ chat: { id, type: "channel" }, message_id: result.message_id });
  });
});
