import { describe, expect, it } from "vitest";
import { opened, ROBIN } from "../stage.ts";

describe("a bot's profile", () => {
  it.each([
    ["Name", "name", "Harbour"],
    ["Description", "description", ""],
    ["ShortDescription", "short_description", ""],
  ])("has a default text and one per language: setMy%s", async (method, field, first) => {
    const { call } = await opened();
    const get = async (language_code = "") =>
      (await call<Record<string, string>>(`getMy${method}`, { language_code })).result[field];
    const set = (text: string, language_code = "") => call(`setMy${method}`, { [field]: text, language_code });
    expect(await get()).toBe(first);
    await set("Pier");
    await set("Pirs", "ru");
    expect([await get(), await get("ru"), await get("de")]).toEqual(["Pier", "Pirs", "Pier"]);
    await set("", "ru");
    expect(await get("ru")).toBe("Pier");
  });

  it("is refused with an unknown language or when it is too long", async () => {
    const { refusal } = await opened();
    expect(await refusal("setMyName", { name: "x", language_code: "english" })).toBe(
      "400 Bad Request: invalid language code specified",
    );
    expect(await refusal("setMyName", { name: "x".repeat(65) })).toMatch(/^400/);
    expect(await refusal("setMyDescription", { description: "x".repeat(513) })).toMatch(/^400/);
    expect(await refusal("setMyShortDescription", { short_description: "x".repeat(121) })).toMatch(/^400/);
  });

  it("names the bot in all later messages", async () => {
    const { call, text, updates } = await opened();
    await call("setMyName", { name: "Pier" });
    expect((await text("x")).result.from).toMatchObject({ first_name: "Pier", username: "harbour_bot" });
    expect(await updates()).toHaveLength(1);
    expect((await call("getMe")).result).toMatchObject({ first_name: "Pier" });
  });
});

describe("a bot's menu button", () => {
  it("shows the commands until it is set, for all chats or for one", async () => {
    const { call, refusal } = await opened();
    const button = async (chat_id?: number) => (await call("getChatMenuButton", { chat_id })).result;
    expect(await button()).toEqual({ type: "commands" });
    await call("setChatMenuButton", { menu_button: { type: "default" } });
    const app = { type: "web_app", text: "Shop", web_app: { url: "https://shop.example/" } };
    await call("setChatMenuButton", { chat_id: ROBIN, menu_button: app });
    expect([await button(), await button(ROBIN)]).toEqual([{ type: "default" }, app]);
    const set = (menu_button: unknown) => refusal("setChatMenuButton", { menu_button });
    expect(await set({ type: "x" })).toBe("400 Bad Request: can't parse menu button: MenuButton has unsupported type");
    expect(await set("{")).toBe("400 Bad Request: can't parse menu button JSON object");
  });
});
