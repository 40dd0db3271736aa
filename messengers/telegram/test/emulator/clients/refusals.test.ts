import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSandbox } from "../../../../../sandbox/src/sandbox.ts";
import { HARBOUR_BOT_TOKEN } from "../../../emulator/telegram.ts";
import { addBot } from "../../../emulator/world.ts";
import { HARBOUR, opened, ROBIN, WREN } from "../stage.ts";
import { CLIENTS, type Client, type Refused } from "./clients.ts";

type Set = Awaited<ReturnType<typeof opened>>;
interface Case {
  what: string;
  /** Setup; returns the chat unless it is Robin's. */
  before?(set: Set): unknown;
  text?: string;
  more?: object;
  token?: string;
  is: Refused;
}

const CASES: readonly Case[] = [
  {
    what: "a chat that there is none of",
    before: () => 5,
    is: { code: 400, description: "Bad Request: chat not found", parameters: {} },
  },
  {
    what: "a person who has not written",
    before: () => WREN,
    is: { code: 403, description: "Forbidden: bot can't initiate conversation with a user", parameters: {} },
  },
  {
    what: "a person who blocked the bot",
    before: ({ phone }) => phone.block(ROBIN, HARBOUR, true),
    is: { code: 403, description: "Forbidden: bot was blocked by the user", parameters: {} },
  },
  {
    what: "marks that cannot be read",
    text: "ж *bold",
    more: { parse_mode: "MarkdownV2" },
    is: {
      code: 400,
      description: "Bad Request: can't parse entities: Can't find end of Bold entity at byte offset 3",
      parameters: {},
    },
  },
  {
    what: "buttons that cannot be read",
    more: { reply_markup: { inline_keyboard: [[{ text: "a" }]] } },
    is: {
      code: 400,
      description: "Bad Request: can't parse InlineKeyboardButton: Text buttons are not allowed in the inline keyboard",
      parameters: {},
    },
  },
  {
    what: "a message to answer that is not there",
    more: { reply_parameters: { message_id: 99 } },
    is: { code: 400, description: "Bad Request: message to be replied not found", parameters: {} },
  },
  {
    what: "a flood, with how long to wait",
    before: ({ control }) => control("faults", "POST", { type: "flood", retryAfter: 120 }),
    is: { code: 429, description: "Too Many Requests: retry after 120", parameters: { retry_after: 120 } },
  },
  {
    what: "a token that nobody has",
    token: `${HARBOUR}:${"x".repeat(35)}`,
    is: { code: 401, description: "Unauthorized", parameters: {} },
  },
];

const refused = async (client: Client, saying: Promise<unknown>) =>
  saying.then(
    () => expect.fail("it was carried out"),
    (error: unknown) => client.refused(error) ?? expect.fail(String(error)),
  );

describe.each(CLIENTS)("$name", ({ make }) => {
  it.each(CASES)("reports $what", async ({ before, text = "x", more, token = HARBOUR_BOT_TOKEN, is }) => {
    const set = await opened();
    const client = make({ token, apiRoot: set.origin });
    const chat = await before?.(set);
    expect(await refused(client, client.say(typeof chat === "number" ? chat : ROBIN, text, more))).toEqual(is);
  });

  it("reports the new id of an upgraded group", async () => {
    const set = await opened();
    const client = make({ token: HARBOUR_BOT_TOKEN, apiRoot: set.origin });
    const group = set.phone.makeGroup({ title: "Crew", people: [ROBIN], bot: HARBOUR });
    const supergroup = set.phone.upgrade(group);
    expect(await refused(client, client.say(group, "x"))).toEqual({
      code: 400,
      description: "Bad Request: group chat was upgraded to a supergroup chat",
      parameters: { migrate_to_chat_id: supergroup },
    });
    await client.say(supergroup, "x");
  });

  // Telegraf resolves URLs relative to the root, so its path must end with a slash.
  it.each(["", "/telegram"])("finds the sandbox's Bot API at its root with the path '%s'", async (path) => {
    const sandbox = createSandbox({ origin: () => "http://sandbox", now: Date.now });
    onTestFinished(sandbox.stop);
    const origin = await new Promise<string>((resolve) => {
      const server = serve({ fetch: sandbox.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }: AddressInfo) =>
        resolve(`http://127.0.0.1:${port}`),
      );
      onTestFinished(() => void server.close());
    });
    const isTelegraf = make === CLIENTS[1]?.make;
    const client = make({ token: HARBOUR_BOT_TOKEN, apiRoot: `${origin}${path}${isTelegraf && path ? "/" : ""}` });
    sandbox.telegram.phone.send(ROBIN, HARBOUR, { text: "hello" });
    expect(await client.say(ROBIN, "x")).toMatchObject({ text: "x" });
    expect((await client.me()).username).toBe("harbour_bot");
  });
});

describe.each(CLIENTS.filter(({ knowsTest }) => knowsTest))("$name", ({ make }) => {
  it("reaches a bot of the test environment, and its files", async () => {
    const { origin, telegram } = await opened();
    const { world, phone } = telegram;
    const bot = addBot(world, { username: "trial_bot", name: "Trial", isTest: true });
    const client = make({ token: bot.token, apiRoot: origin, isTest: true });
    expect((await client.me()).username).toBe("trial_bot");
    const { key } = world.files.add({ name: "a.txt", mediaType: "text/plain", bytes: Buffer.from("a text") });
    phone.send(ROBIN, bot.id, { media: [{ kind: "document", file: key }] });
    const url = `${origin}/bot${bot.token}/test/getUpdates`;
    const { result } = (await (await fetch(url)).json()) as {
      result: { message: { document: { file_id: string } } }[];
    };
    expect((await client.file(result[0]?.message.document.file_id ?? "")).toString()).toBe("a text");
    const outside = make({ token: bot.token, apiRoot: origin });
    expect(await refused(outside, outside.me())).toMatchObject({ code: 401 });
  });
});
