import { describe, expect, it } from "vitest";
import { connect } from "../../emulator/business.ts";
import type { BotApi } from "../../src/api.ts";
import { businessTrouble } from "../../src/business.ts";
import { connecting } from "../../src/connection.ts";
import { afterwards } from "../../src/owners.ts";
import { read, receiving } from "../../src/reading/reading.ts";
import { fresh, openStage } from "./stage.ts";

/** The command that the channel's page shows. */
const commandIn = (settings: Parameters<typeof afterwards>[0]) =>
  /`(\/start own-[\w-]+)`/.exec(afterwards(settings)?.en.steps?.join() ?? "")?.[1] ?? "";

async function stageOf(given: object) {
  const stage = await openStage({ ...given });
  const { context, commit, api, telegram, bot } = stage;
  const [owner = 0, customer = 0, other = 0] = [...telegram.world.people.keys()];
  let number = 0;
  const from = (id: number) => ({ id, is_bot: false, first_name: "Robin" });
  const take = async (update: object) => {
    const reading = await read(context, api, { update_id: ++number, ...update });
    await commit({ notes: reading?.notes });
    return reading;
  };
  const message = (id: number, text: string, chat: object = { id, type: "private", first_name: "Robin" }) => ({
    ...{ message_id: ++number, date: 1_764_000_000, chat, from: from(id), text },
  });
  return {
    ...{ ...stage, owner, customer, other, command: commandIn(context.settings), message },
    says: (id: number, text: string, chat?: object) => take({ message: message(id, text, chat) }),
    /** Over a business account's connection. */
    saysTo: (connection: string, id: number, text: string) =>
      take({ business_message: { ...message(id, text), business_connection_id: connection } }),
    connected: (id: number) => connect(telegram.world, { bot: bot.id, owner: id }).id,
  };
}

describe("the owner of a business account", () => {
  it("is who sends the command of the channel's page: their chats are served from then on, and no one else's", async () => {
    const { owner, other, customer, command, says, saysTo, connected } = await stageOf({ servesBusiness: true });
    const [own, foreign] = [connected(owner), connected(other)];
    expect((await saysTo(own, customer, "too early"))?.events).toEqual([]);
    expect(command).toMatch(/^\/start own-[\w-]{43}$/);
    const said = await says(owner, command);
    expect(said?.events).toEqual([]);
    expect(said?.answer).toMatchObject({ method: "sendMessage", chat_id: owner });
    expect((await saysTo(own, customer, "Are you open?"))?.events).toMatchObject([{ chat: `${owner}/${customer}` }]);
    expect((await saysTo(foreign, customer, "And you?"))?.events).toEqual([]);
  });

  it("is told what is left to do until the bot serves their chats, and nobody else is", async () => {
    const { context, api, owner, command, customer, says, saysTo, connected } = await stageOf({ servesBusiness: true });
    const session = connecting(context, api);
    expect(await session.unfinished?.()).toMatch(/no Telegram account is connected .* first step of the Set-up tab/);
    await says(owner, command);
    expect(await session.unfinished?.()).toMatch(/nothing has come from the Telegram account yet.*Chatbots/);
    await saysTo(connected(owner), customer, "Are you open?");
    expect(await session.unfinished?.()).toBeUndefined();
    const plain = await stageOf({});
    expect(await connecting(plain.context, plain.api).unfinished?.()).toBeUndefined();
  });

  it("opens a link that says the same, where the bot's is known, and is told the bot's name to enter", async () => {
    const { context, command } = await stageOf({ servesBusiness: true });
    const link = "https://t.me/harbour_bot";
    for (const { steps = [] } of Object.values(afterwards(context.settings, "", link) ?? {})) {
      expect(steps[0]).toContain(`\`${link}?start=${command.replace("/start ", "")}\``);
      expect(steps[1]).toContain("`@harbour_bot`");
      expect(steps.join()).not.toContain("/start ");
    }
  });

  it("may be one of several, beside those in the settings", async () => {
    const { owner, other, customer, command, says, saysTo, connected } = await stageOf({ servesBusiness: true });
    await says(owner, command);
    await says(other, command);
    for (const id of [owner, other])
      expect((await saysTo(connected(id), customer, "hello"))?.events).toMatchObject([{ chat: `${id}/${customer}` }]);
  });

  it("is nobody who sends another command, or sends it in a group, or to a bot that serves none", async () => {
    const { owner, customer, command, says, saysTo, connected } = await stageOf({ servesBusiness: true });
    await says(owner, `${command.slice(0, -1)}!`);
    await says(owner, command, { id: -5, type: "group", title: "Crew" });
    expect((await saysTo(connected(owner), customer, "hello"))?.events).toEqual([]);
    const plain = await stageOf({});
    expect(plain.command).toBe("");
    expect((await plain.says(owner, command))?.events).toHaveLength(1);
    expect((await plain.saysTo(plain.connected(owner), customer, "hello"))?.events).toEqual([]);
  });

  it("is told of a bot that may not reply, and answered in the webhook's own answer", async () => {
    const { owner, command, context, api, message, says } = await stageOf({ servesBusiness: true, updates: "webhook" });
    const headers = { "x-telegram-bot-api-secret-token": context.settings.webhookSecret };
    const body = JSON.stringify({ update_id: 99, message: message(owner, command) });
    const { reply } = await receiving(
      context,
      api,
    )(new Request("https://a.example/m/x", { method: "POST", headers, body }));
    expect(await reply.json()).toMatchObject({ method: "sendMessage", chat_id: owner });
    await says(owner, command);
    await context.notes.set([
      { key: `business:${owner}`, value: "the business account of Robin does not let this bot reply" },
    ]);
    expect(await businessTrouble(context.settings, context.notes)).toContain("Robin");
  });

  it("cannot connect a bot whose business mode is off: it is not added, and the reason says where to turn it on", async () => {
    const { context, api, bot } = await stageOf({ servesBusiness: true });
    const closed: Pick<BotApi, "call"> = {
      call: async ({ result }) => result.parse({ id: bot.id, first_name: "Harbour", can_connect_to_business: false }),
    };
    const identify = (by: Pick<BotApi, "call">) => connecting(context, by as BotApi).identify(fresh());
    await expect(identify(closed)).rejects.toThrow("Business Mode");
    expect((await identify(api)).id).toBe(`telegram:${bot.id}`);
  });
});
