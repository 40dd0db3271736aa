import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { describeChannel } from "gangway-messenger/kit/contract";
import { describeProof, type Seen, type Stage } from "gangway-messenger/kit/proof";
import { FILES } from "gangway-messenger/kit/sending";
import type { ChannelEvent } from "gangway-messenger/message";
import { onTestFinished } from "vitest";
import { createOutgoing } from "../../../src/calls/outgoing.ts";
import { channelContext } from "../../../test/support/channel-context.ts";
import { connect } from "../emulator/business.ts";
import type { MediaKind, PhoneDraft, PhoneMessage } from "../emulator/phone-wire.ts";
import { serveTelegram } from "../emulator/serve.ts";
import { HARBOUR_BOT_TOKEN } from "../emulator/telegram.ts";
import { addPerson } from "../emulator/world.ts";
import { botApi } from "../src/api.ts";
import telegram from "../src/index.ts";
import { messageId, settings as schema } from "../src/wire.ts";

const ROBIN = 5_120_000_042;
const SECRET = "s".repeat(43);
const settings = { token: HARBOUR_BOT_TOKEN, webhookSecret: SECRET };
const OFF = { perChat: Infinity, perSecond: Infinity, perGroupMinute: Infinity };

/** A bot at the emulator. Updates are polled; nobody calls its door. */
async function emulated(given: object) {
  const { telegram: emulator, origin, close } = await serveTelegram({ port: 0, limits: OFF });
  const outgoing = createOutgoing({ allowLoopback: true });
  onTestFinished(async () => {
    await outgoing.close();
    await close();
  });
  const own = await channelContext<unknown>(schema.parse(given));
  const server = { TELEGRAM_API_URL: origin, updates: "webhook" as const };
  // The emulator accepts webhooks on this machine only.
  Object.assign(own.context, { call: outgoing.call, server, doorUrl: "http://127.0.0.1:9/m/door" });
  const bot = [...emulator.world.bots.values()].find(({ token }) => token === HARBOUR_BOT_TOKEN);
  if (!bot) throw new Error("there is no bot");
  emulator.phone.send(ROBIN, bot.id, { text: "/start" });
  return {
    ...own,
    emulator,
    origin,
    bot,
    api: botApi({ call: outgoing.call, apiUrl: origin, token: HARBOUR_BOT_TOKEN }),
  };
}

const update = (doorUrl: string, body: unknown, secret: string | undefined = SECRET) =>
  new Request(doorUrl, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: secret ? { "x-telegram-bot-api-secret-token": secret } : {},
  });
const HELLO = {
  update_id: 1,
  message: {
    message_id: 7,
    date: 1_764_000_000,
    chat: { id: ROBIN, type: "private", first_name: "Robin" },
    from: { id: ROBIN, is_bot: false, first_name: "Robin" },
    text: "hello",
  },
};

describeChannel({
  adapter: telegram,
  settings,
  chat: String(ROBIN) as ChatId,
  makeContext: (parsed) => emulated(parsed as object),
  genuine:
    async (_, { doorUrl }) =>
    () =>
      update(doorUrl, HELLO),
  forged: ({ doorUrl }) => [
    new Request(doorUrl, { method: "POST", body: JSON.stringify(HELLO) }),
    update(doorUrl, HELLO, "t".repeat(43)),
    update(doorUrl, HELLO, SECRET.slice(1)),
    update(doorUrl, HELLO, `${SECRET}s`),
  ],
  broken: async (_, { doorUrl }) =>
    ["", "{", "[]", "null", "{}", '"x"', '{"update_id":"x"}', '{"update_id":1}', '{"update_id":1,"message":{}}'].map(
      (body) => update(doorUrl, body),
    ),
  echoes: async (_, { doorUrl }) => [
    update(doorUrl, { ...HELLO, message: { ...HELLO.message, from: { id: 1, is_bot: true, first_name: "Harbour" } } }),
  ],
});

const KIND: Partial<Record<string, MediaKind>> = { image: "photo", file: "document", audio: "voice" };

describeProof({
  adapter: telegram,
  settings,
  shown: new URL("../src/sending/shown.ts", import.meta.url),
  emoji: "👍",
  stage: () => stageOf({ ...settings, updates: "polling" }),
});

const MERLE = 6_000_000_042;

describeProof({
  adapter: telegram,
  settings: { ...settings, businessOwners: [String(MERLE)] },
  shown: new URL("../src/sending/shown-in-business.ts", import.meta.url),
  emoji: "👍",
  stage: () => stageOf({ ...settings, businessOwners: [String(MERLE)], updates: "polling" }, MERLE),
});

/** A customer who chats with a bot, or with the owner of a business account that uses the bot. */
async function stageOf(given: object, owner?: number): Promise<Stage> {
  const { context, commit, emulator, bot, atGateway, origin } = await emulated(given);
  const session = telegram.open(context);
  const other = owner ?? bot.id;
  if (owner !== undefined) {
    addPerson(emulator.world, { id: owner, firstName: "Merle" });
    connect(emulator.world, { bot: bot.id, owner });
  }
  /** The events that an action of the customer causes. */
  const after = async (act: () => unknown): Promise<ChannelEvent[]> => {
    await collect();
    await act();
    return collect();
  };
  const collect = async () => {
    const events: ChannelEvent[] = [];
    const stop = new AbortController();
    // An open poll with an empty queue: the feed has stored and confirmed everything.
    const idle = setInterval(() => bot.queue.endPoll && bot.queue.entries.length === 0 && stop.abort(), 5);
    const save: Parameters<NonNullable<typeof session.feed>["run"]>[0] = async (arrival) => {
      await commit(arrival);
      events.push(...arrival.events);
    };
    await session.feed?.run(save, stop.signal).catch(() => {});
    clearInterval(idle);
    return events;
  };
  const upload = async ({ bytes, mediaType, name }: (typeof FILES)["image"]) => {
    const headers = { "content-type": mediaType, "x-file-name": encodeURIComponent(name) };
    const init = { method: "POST", headers, body: new Blob([new Uint8Array(bytes)]) };
    return ((await (await fetch(`${origin}/phone/api/files`, init)).json()) as { id: string }).id;
  };
  const prefix = owner === undefined ? "" : `${owner}/`;
  const numberOf = (id: MessengerMessageId) => Number(id.split(":")[1]);
  const phoneChat = () => emulator.phone.chats(ROBIN).find(({ id }) => id === other);
  /** The keyboard counts as buttons of the bot's last message. */
  const seen = (): Seen[] => {
    const { messages = [], keyboard = [] } = phoneChat() ?? {};
    const last = messages.findLast(({ from }) => from !== "me");
    const keys = keyboard.flat().map(({ text }) => text);
    return messages.map((message) => seenOf(prefix, message, message === last ? keys : []));
  };
  // The bot of a business account may only answer.
  if (owner !== undefined) await after(() => emulator.phone.send(ROBIN, other, { text: "hello" }));
  return {
    session,
    atGateway,
    chat: `${prefix}${ROBIN}` as ChatId,
    seen: async () => seen(),
    customer: {
      async says(kind, quote) {
        const media = KIND[kind];
        const draft: PhoneDraft = { text: "hello", replyTo: quote && numberOf(quote) };
        if (media) draft.media = [{ kind: media, file: await upload(FILES[kind as "image"]), duration: 7 }];
        return after(() => emulator.phone.send(ROBIN, other, draft));
      },
      edits: (_, id) => after(() => emulator.phone.edit(ROBIN, other, numberOf(id), "mended")),
      deletes: (id) => after(() => emulator.phone.erase(ROBIN, other, numberOf(id))),
      reacts: (id) => after(() => emulator.phone.react(ROBIN, other, numberOf(id), "👍")),
    },
  };
}

function seenOf(prefix: string, message: PhoneMessage, keys: string[]): Seen {
  const { id, text, media, inline, quote, edited, reactions } = message;
  return {
    id: `${prefix}${messageId(String(ROBIN), id)}` as MessengerMessageId,
    text,
    files: media ? [media.file.name] : [],
    buttons: [...inline.flat().map((button) => button.text), ...keys],
    quotes: quote !== undefined,
    edited,
    deleted: false,
    reaction: reactions.find(({ mine }) => !mine)?.emoji,
  };
}
