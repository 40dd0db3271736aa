import { describe, expect, it } from "vitest";
import { HARBOUR, opened, ROBIN } from "../stage.ts";

const commands = [{ command: "start", description: "Begin" }];

describe("a bot's commands", () => {
  it("have a scope and a language, and can be deleted", async () => {
    const { call, phone } = await opened();
    const group = phone.makeGroup({ title: "Crew", people: [ROBIN], bot: HARBOUR });
    const own = { scope: { type: "chat", chat_id: ROBIN } };
    const member = { scope: { type: "chat_member", chat_id: group, user_id: ROBIN }, language_code: "ru" };
    await call("setMyCommands", { commands: [{ command: " /start", description: " Begin " }] });
    await call("setMyCommands", { commands: [], language_code: "ru" });
    await call("setMyCommands", { commands, ...own });
    await call("setMyCommands", { commands, ...member });
    const shown = async (more: object = {}) => (await call("getMyCommands", more)).result;
    expect([await shown(), await shown({ language_code: "ru" }), await shown(own), await shown(member)]).toEqual([
      commands,
      [],
      commands,
      commands,
    ]);
    await call("deleteMyCommands", own);
    expect([await shown(), await shown(own)]).toEqual([commands, []]);
  });

  it.each([
    [{ commands: "[" }, "can't parse commands JSON object"],
    [{ commands: [5] }, "can't parse BotCommand: expected an Object"],
    [{ commands: [{ command: "a" }] }, "can't parse BotCommand: Can't find field \"description\""],
    [{ commands: [{ command: "a".repeat(33), description: "x" }] }, "command length must not exceed 32"],
    [{ commands: [{ command: "a", description: "x".repeat(257) }] }, "command description length must not exceed 256"],
    [{ commands: [{ command: "Start", description: "x" }] }, "BOT_COMMAND_INVALID"],
    [{ commands: Array(101).fill(commands[0]) }, "BOT_COMMANDS_TOO_MUCH"],
    [{ commands, language_code: "english" }, "invalid language code specified"],
    [{ commands, scope: "{" }, "can't parse BotCommandScope JSON object"],
    [{ commands, scope: { type: "chat", chat_id: "" } }, "can't parse BotCommandScope: Empty chat_id specified"],
    [
      { commands, scope: { type: "chat_member", chat_id: ROBIN, user_id: 0 } },
      "can't parse BotCommandScope: Invalid user_id specified",
    ],
    [{ commands, scope: { type: "chat", chat_id: 5 } }, "chat not found"],
    [
      { commands, scope: { type: "chat_administrators", chat_id: ROBIN } },
      "can't use specified scope in private chats",
    ],
  ])("are refused when invalid: %j", async (parameters, words) => {
    const { refusal } = await opened();
    expect(await refusal("setMyCommands", parameters)).toBe(`400 Bad Request: ${words}`);
  });
});
