import type { ChatId } from "gangway-messenger/ids";
import type { Receipt } from "gangway-messenger/port";
import { describe, expect, it, onTestFinished } from "vitest";
import { channelContext } from "../../../../test/support/channel-context.ts";
import { handClock } from "../../../../test/support/clock.ts";
import { until } from "../../../../test/support/until.ts";
import { connect } from "../../emulator/business.ts";
import { addPerson, HARBOUR_BOT_TOKEN } from "../../emulator/world.ts";
import type { BotApi } from "../../src/api.ts";
import { polling } from "../../src/feed.ts";
import telegram from "../../src/index.ts";
import { read } from "../../src/reading/reading.ts";
import { type Context, settings as schema } from "../../src/wire.ts";
import { fresh, openStage, step } from "./stage.ts";

async function opened(settings: Record<string, unknown> = {}) {
  const stage = await openStage(settings);
  const session = telegram.open(stage.context as never);
  const isPolled = () => stage.bot.queue.endPoll !== undefined;
  /** Collects events until a poll finds none. `keep` stores a batch. */
  const collect = async (keep: (arrival: Omit<Receipt, "reply">) => Promise<void> = stage.commit, stops = true) => {
    // The last one's connection has ended.
    await until("no poll", () => !isPolled());
    const events: Receipt["events"] = [];
    const stop = new AbortController();
    const isIdle = () => isPolled() && stage.bot.queue.entries.length === 0;
    const idle = setInterval(() => stops && isIdle() && stop.abort(), 5);
    const save = async (arrival: Omit<Receipt, "reply">) => {
      await keep(arrival);
      events.push(...arrival.events);
    };
    const ended = await session.feed?.run(save, stop.signal).catch((error: unknown) => error);
    clearInterval(idle);
    return { events, ended };
  };
  const control = (path: string, body: object) =>
    fetch(`${stage.origin}/control/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  return { ...stage, session, collect, isPolled, control };
}
const textsOf = ({ events }: { events: Receipt["events"] }) =>
  events.map((event) => (event.type === "message" && event.content.type === "text" ? event.content.text : event.type));

describe("a bot that asks for its messages", () => {
  it("gets each once, and loses none that was not stored", async () => {
    const { collect, telegram: emulator, person, bot } = await opened();
    emulator.phone.send(person, bot.id, { text: "one" });
    const full = collect(() => Promise.reject(new Error("the disk is full")));
    expect((await full).ended).toMatchObject({ message: "the disk is full" });
    expect(textsOf(await collect())).toEqual(["/start", "one"]);
    emulator.phone.send(person, bot.id, { text: "two" });
    expect(textsOf(await collect())).toEqual(["two"]);
  });

  it("says plainly that another program receives its messages, or that the token is dead", async () => {
    const { collect, isPolled, api, bot } = await opened();
    const poll = {
      method: "getUpdates",
      params: { timeout: 2 },
      result: { safeParse: () => ({ success: true }) } as never,
    };
    await collect();
    await until("no poll", () => !isPolled());
    const running = collect(undefined, false);
    await until("the feed's poll", isPolled);
    const stop = new AbortController();
    const other = api.call({ ...poll, waiting: true }, stop.signal).catch(() => {});
    expect((await running).ended).toMatchObject({
      verdict: { type: "retry" },
      message: /another program takes/ as never,
    });
    stop.abort();
    await other;
    bot.token = "7712345601:AAanotherTokenThatTheOwnerHasMadeSince";
    expect((await collect()).ended).toMatchObject({ verdict: { type: "reconnect" } });
  });

  it("stops the spinner of a pressed button", async () => {
    const { collect, telegram: emulator, person, bot, origin, chat } = await opened();
    const markup = { inline_keyboard: [[{ text: "Yes, please", callback_data: "yes" }]] };
    const init = { method: "POST", headers: { "content-type": "application/json" } };
    const body = JSON.stringify({ chat_id: chat, text: "Well?", reply_markup: markup });
    const sent = await (await fetch(`${origin}/bot${bot.token}/sendMessage`, { ...init, body })).json();
    await collect();
    emulator.phone.press(person, bot.id, (sent as { result: { message_id: number } }).result.message_id, "yes");
    expect(textsOf(await collect())).toEqual(["Yes, please"]);
    const answered = () => emulator.calls.list().entries.some(({ method }) => method === "answerCallbackQuery");
    await until("the answer to the press", () => answered() || undefined);
  });
});

const DAY_MS = 24 * 3_600_000;
const says = (update_id: number) => ({
  update_id,
  message: {
    message_id: update_id,
    date: 1_764_000_000,
    chat: { id: 7, type: "private", first_name: "Robin" },
    from: { id: 7, is_bot: false, first_name: "Robin" },
    text: `${update_id}`,
  },
});
const pressed = (update_id: number) => ({
  update_id,
  callback_query: { id: `press-${update_id}`, from: { id: 7, first_name: "Robin" }, data: "yes" },
});

/** A feed of an API that answers at once with the given batches, then with empty ones. */
async function scripted(answers: unknown[][]) {
  const clock = handClock();
  const { context, commit } = await channelContext(schema.parse({ token: HARBOUR_BOT_TOKEN }), clock);
  const asked: { method: string; offset?: number; timeoutMs?: number }[] = [];
  const api = {
    async call({ method, params, timeoutMs }: { method: string; params: { offset?: number }; timeoutMs?: number }) {
      asked.push({ method, offset: params.offset, timeoutMs });
      if (method === "getUpdates") return answers.shift() ?? [];
      return new Promise((resolve) => clock.after(timeoutMs ?? Number.POSITIVE_INFINITY, () => resolve(true)));
    },
  } as unknown as BotApi;
  const texts: string[] = [];
  const unknown: string[] = [];
  const save = async (arrival: Omit<Receipt, "reply">) => {
    await commit(arrival);
    texts.push(...textsOf(arrival));
    if (arrival.unknown) unknown.push(arrival.unknown);
  };
  const begin = (over: Partial<Context> = {}) => {
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    void polling({ ...context, ...over }, api).run(save, stop.signal);
    return () => stop.abort();
  };
  const offsets = () => asked.flatMap(({ method, offset }) => (method === "getUpdates" ? [offset] : []));
  return { answers, asked, offsets, begin, texts, unknown, clock };
}

describe("an API that is not as it should be", () => {
  it("is polled at most once a second while it answers at once with nothing new", async () => {
    const { begin, clock, offsets, answers } = await scripted([[says(5)]]);
    for (let n = 0; n < 30; n++) answers.push([says(5)], [{ update_id: "x" }], []);
    begin();
    await clock.forward(20_000);
    expect(offsets().length).toBeGreaterThan(10);
    expect(offsets().length).toBeLessThan(25);
  });

  it("never moves the offset back; skips and logs updates that are known or have no number", async () => {
    const odd = [{ update_id: 1e300 }, { update_id: 2 ** 53 }, { update_id: -1 }, { update_id: "9" }, {}, null, 7];
    const { begin, clock, offsets, texts, unknown } = await scripted([
      [says(7)],
      [says(5), says(8), ...odd, says(7)],
      [says(6)],
    ]);
    begin();
    await clock.forward(5_000);
    expect(texts).toEqual(["7", "8"]);
    expect(offsets().slice(0, 4)).toEqual([0, 8, 9, 9]);
    expect(unknown).toEqual(["an update without a number"]);
  });

  it("may restart numbering after a week without a message, as Telegram does", async () => {
    const { begin, clock, answers, texts } = await scripted([[says(900)]]);
    const stop = begin();
    await clock.forward(1_000);
    answers.push([says(5)]);
    await clock.forward(1_000);
    expect(texts).toEqual(["900"]);
    stop();
    await clock.forward(7 * DAY_MS);
    answers.push([says(6)], [says(7)]);
    begin();
    await clock.forward(3_000);
    expect(texts).toEqual(["900", "6", "7"]);
  });

  it("is polled from the start when its URL has changed", async () => {
    const { begin, clock, answers, texts, offsets } = await scripted([[says(900)]]);
    const stop = begin();
    await clock.forward(1_000);
    stop();
    const before = offsets().length;
    answers.push([says(3)]);
    begin({ server: { TELEGRAM_API_URL: "https://own.example", updates: "polling" } });
    await clock.forward(1_000);
    expect(offsets()[before]).toBe(0);
    expect(texts).toEqual(["900", "3"]);
  });

  it("holds up no message by leaving button presses unanswered", async () => {
    const presses = Array.from({ length: 20 }, (_, n) => pressed(n + 1));
    const { begin, clock, asked, texts } = await scripted([presses, [says(30)]]);
    begin();
    await clock.forward(1);
    expect(texts).toContain("30");
    const answers = asked.filter(({ method }) => method === "answerCallbackQuery");
    expect(answers).toHaveLength(20);
    expect(new Set(answers.map(({ timeoutMs }) => timeoutMs))).toEqual(new Set([3_000]));
  });
});

describe("a business account", () => {
  it("carries what its owner and its customers write in the chats of the owner's own account", async () => {
    const businessOwners = ["5120000042", "1200000000077"];
    const { collect, session, telegram: emulator, bot, control } = await opened({ businessOwners });
    const [owner = 0, customer = 0] = [...emulator.world.people.keys()];
    await control("business", { bot: bot.id, owner });
    await collect();
    emulator.phone.send(customer, owner, { text: "Are you open?" });
    const { events } = await collect();
    const [event] = events;
    expect(event).toMatchObject({ type: "message", chat: `${owner}/${customer}`, originator: "customer" });
    const chat = event?.chat as ChatId;
    const { parts } = await session.send(step({ text: "Till six" }), { chat, key: "k" }, fresh());
    expect(parts[0].messengerMessageId).toMatch(new RegExp(`^${owner}/${customer}:\\d+$`));
    const shown = () =>
      emulator.phone
        .chats(customer)
        .find(({ id }) => id === owner)
        ?.messages.map(({ text }) => text);
    expect(shown()).toEqual(["Are you open?", "Till six"]);
    emulator.phone.send(owner, customer, { text: "By phone" });
    expect((await collect()).events).toMatchObject([{ originator: "channel", customer: { id: String(customer) } }]);
    expect(emulator.calls.list().entries.flatMap(({ faults }) => faults)).toEqual([]);
  });
});

describe("a group", () => {
  it("whose members have chats of their own is answered as a reply to whom it is for", async () => {
    const { collect, session, telegram: emulator, bot } = await opened({ groups: "members" });
    const people = [...emulator.world.people.keys()];
    const group = emulator.phone.makeGroup({ title: "Crew", people, bot: bot.id });
    await collect();
    const said = people.map((person) => emulator.phone.send(person, group, { text: `I am ${person}` })[0]);
    const { events } = await collect();
    expect(events.map(({ chat }) => chat)).toEqual(people.map((person) => `${group}~${person}`));
    await session.send(step({ text: "Hello you" }), { chat: events[0]?.chat as ChatId, key: "k" }, fresh());
    const messages = emulator.phone.chats(people[0] ?? 0).find(({ id }) => id === group)?.messages ?? [];
    expect(messages.at(-1)).toMatchObject({ text: "Hello you", quote: { id: said[0] } });
  });
});

describe("a business connection that was made before anybody here heard of it", () => {
  it("is asked about once: only those of owners in the settings are listened to", async () => {
    const owner = 6_000_000_042;
    const {
      context,
      commit,
      api,
      telegram: emulator,
      bot,
      person,
    } = await openStage({ businessOwners: [String(owner)] });
    addPerson(emulator.world, { id: owner, firstName: "Merle" });
    const stranger = addPerson(emulator.world, { id: owner + 1, firstName: "Kim" });
    const of = (from: number) => connect(emulator.world, { bot: bot.id, owner: from }).id;
    const connections = { merle: of(owner), kim: of(stranger.id), gone: "AAAAAAAAAAAAAAAAAAAAAA" };
    const asked: string[] = [];
    const asking: Pick<BotApi, "call"> = {
      call: (request, signal) => {
        asked.push(String(request.params?.business_connection_id));
        return api.call(request, signal);
      },
    };
    const says = async (connection: string, id: number) => {
      const chat = { id: person, type: "private", first_name: "Robin" };
      const message = { message_id: id, date: 1_764_000_000, chat, from: { ...chat, is_bot: false }, text: "Ahoy" };
      const update = { update_id: id, business_message: { ...message, business_connection_id: connection } };
      const reading = await read(context, asking as BotApi, update);
      await commit({ notes: reading?.notes });
      return reading?.events.map(({ chat: id }) => id);
    };
    for (const id of [1, 2]) {
      expect(await says(connections.merle, id)).toEqual([`${owner}/${person}`]);
      expect(await says(connections.kim, id)).toEqual([]);
      expect(await says(connections.gone, id)).toEqual([]);
    }
    expect(asked).toEqual(Object.values(connections));
    expect(await context.notes.get(`connection:${owner}`)).toBe(connections.merle);
  });
});

describe("an update that breaks our own code", () => {
  it("is skipped, and the others go on; a database error is not", async () => {
    const { context, api } = await openStage();
    const broken = {
      ...context,
      notes: { ...context.notes, get: () => Promise.reject(new TypeError("x is undefined")) },
    };
    const update = {
      update_id: 1,
      my_chat_member: {
        chat: { id: 7, type: "private" },
        from: { id: 7 },
        date: 1,
        new_chat_member: { status: "kicked" },
      },
    };
    expect(await read(broken, api, update)).toMatchObject({
      events: [],
      unknown: expect.stringContaining("x is undefined"),
    });
    const full = { ...context, notes: { ...context.notes, get: () => Promise.reject(new Error("disk full")) } };
    await expect(read(full, api, update)).rejects.toThrow("disk full");
  });
});
