import { describe, expect, it } from "vitest";
import { HARBOUR, opened, ROBIN, WREN } from "../stage.ts";

async function crewed(admin = true) {
  const set = await opened();
  const group = set.phone.makeGroup({ title: "Crew", people: [ROBIN, WREN], bot: HARBOUR, admin });
  const ask = async <T = object>(method: string, more: object = {}) =>
    (await set.call<T>(method, { chat_id: group, ...more })).result;
  const refused = async (method: string, more: object = {}) =>
    (await set.refusal(method, { chat_id: group, ...more })).replace("400 Bad Request: ", "");
  return { ...set, group, ask, refused };
}

describe("a group", () => {
  it("has members, a creator, and the bot", async () => {
    const { ask, refused } = await crewed();
    expect(await ask("getChat")).toMatchObject({ type: "group", title: "Crew" });
    expect(await ask("getChatMemberCount")).toBe(3);
    expect(await ask("getChatMember", { user_id: ROBIN })).toMatchObject({ status: "creator", user: { id: ROBIN } });
    expect(await ask("getChatMember", { user_id: WREN })).toMatchObject({ status: "member" });
    expect(await ask("getChatAdministrators")).toMatchObject([{ user: { id: ROBIN } }, { user: { id: HARBOUR } }]);
    expect(await refused("getChatMember", { user_id: 5 })).toBe("user not found");
    expect(await refused("getChatAdministrators", { chat_id: ROBIN })).toBe(
      "there are no administrators in the private chat",
    );
  });

  it("gets another title, with a service message, and a description", async () => {
    const { ask, refused, updates, phone, group } = await crewed();
    await updates();
    expect(await ask("setChatTitle", { title: " Night crew " })).toBe(true);
    expect((await updates()).at(-1)?.message).toMatchObject({
      new_chat_title: "Night crew",
      chat: { id: group, title: "Night crew" },
    });
    expect(phone.chats(WREN)[0]).toMatchObject({ title: "Night crew" });
    await ask("setChatDescription", { description: "Who is on watch" });
    expect(await ask("getChat")).toMatchObject({ description: "Who is on watch" });
    expect(await refused("setChatDescription", { description: "Who is on watch" })).toBe(
      "chat description is not modified",
    );
    expect(await refused("setChatTitle", { title: " " })).toBe("title must be non-empty");
  });

  it("is changed only by an administrator; private chats never are", async () => {
    const { refused } = await crewed(false);
    expect(await refused("setChatTitle", { title: "x" })).toBe("not enough rights to change chat title");
    expect(await refused("setChatDescription", { description: "x" })).toBe("not enough rights to set chat description");
    expect(await refused("setChatTitle", { chat_id: ROBIN, title: "x" })).toBe("can't change private chat title");
  });

  it("is left for good", async () => {
    const { ask, refused, updates } = await crewed();
    expect(await ask("leaveChat")).toBe(true);
    expect((await updates()).at(-1)?.my_chat_member).toMatchObject({ new_chat_member: { status: "left" } });
    expect(await refused("sendMessage", { text: "x" })).toBe("403 Forbidden: bot is not a member of the group chat");
    expect(await refused("leaveChat", { chat_id: ROBIN })).toBe("chat member status can't be changed in private chats");
  });
});

describe("a private chat", () => {
  it("is unknown before the person has written", async () => {
    const { call, refusal } = await opened();
    expect((await call("getChat", { chat_id: ROBIN })).result).toMatchObject({
      id: ROBIN,
      type: "private",
      username: "robin_field",
      photo: { small_file_id: expect.any(String), big_file_id: expect.any(String) },
    });
    expect(await refusal("getChat", { chat_id: WREN })).toBe("400 Bad Request: chat not found");
    expect(await refusal("getChat", { chat_id: "@nobody" })).toBe("400 Bad Request: chat not found");
  });
});
