import { describe, expect, it } from "vitest";
import { HARBOUR, opened, ROBIN, WREN } from "../stage.ts";

async function crewed(admin = true) {
  const set = await opened();
  const group = set.phone.makeGroup({ title: "Crew", people: [ROBIN, WREN], bot: HARBOUR, admin });
  const [id = 0] = set.phone.send(ROBIN, group, { text: "read this" });
  await set.updates({ offset: -1 });
  return { ...set, group, id };
}

describe("a pinned message", () => {
  it("appears in a service message and in getChat", async () => {
    const { call, updates, shown } = await opened();
    await updates({ offset: 10_000_000_000 });
    expect((await call("pinChatMessage", { chat_id: ROBIN, message_id: 1 })).result).toBe(true);
    expect(shown().at(-1)).toMatchObject({ from: "service", text: "Pinned: hello" });
    const heard = await updates();
    expect(heard.at(-1)?.message).toMatchObject({
      from: { id: HARBOUR },
      pinned_message: { message_id: 1, text: "hello" },
    });
    const { result } = await call("getChat", { chat_id: ROBIN });
    expect(result).toMatchObject({ pinned_message: { message_id: 1 } });
  });

  it("is unpinned: the last one, a named one, or all", async () => {
    const { call, text } = await opened();
    const ids = [1, (await text("two")).result.message_id, (await text("three")).result.message_id];
    for (const message_id of ids) await call("pinChatMessage", { chat_id: ROBIN, message_id });
    const pinned = async () =>
      (await call<{ pinned_message?: { message_id: number } }>("getChat", { chat_id: ROBIN })).result.pinned_message
        ?.message_id;
    await call("unpinChatMessage", { chat_id: ROBIN });
    expect(await pinned()).toBe(ids[1]);
    await call("unpinChatMessage", { chat_id: ROBIN, message_id: 1 });
    expect(await pinned()).toBe(ids[1]);
    await call("unpinAllChatMessages", { chat_id: ROBIN });
    expect(await pinned()).toBeUndefined();
  });

  it("in a group needs an administrator", async () => {
    const { refusal, group, id, control } = await crewed(false);
    const pin = () => refusal("pinChatMessage", { chat_id: group, message_id: id });
    expect(await pin()).toBe("400 Bad Request: not enough rights to manage pinned messages in the chat");
    await control(`groups/${group}`, "POST", { admin: true });
    expect(await pin()).toBe("it was carried out");
  });

  it("must exist and be no service message", async () => {
    const { refusal, group, id } = await crewed();
    expect(await refusal("pinChatMessage", { chat_id: group, message_id: 99 })).toBe(
      "400 Bad Request: message to pin not found",
    );
    expect(await refusal("pinChatMessage", { chat_id: group, message_id: id - 1 })).toBe(
      "400 Bad Request: service messages can't be pinned",
    );
    expect(await refusal("unpinChatMessage", { chat_id: group, message_id: 99 })).toBe(
      "400 Bad Request: message to unpin not found",
    );
  });
});
