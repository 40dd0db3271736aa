import { describe, expect, it } from "vitest";
import type { Receipt } from "../../../src/channels/port.ts";
import { read } from "../../../src/channels/telegram/inbound.ts";
import { telegram } from "../../../src/channels/telegram/index.ts";
import type { ChatId } from "../../../src/domain/ids.ts";
import { fresh, openStage, step } from "./stage.ts";

async function opened(settings: Record<string, unknown> = {}) {
  const stage = await openStage(settings);
  const session = telegram.open(stage.context as never);
  /** What comes until nothing does; `keep` is the database. */
  const collect = async (keep: (arrival: Omit<Receipt, "reply">) => Promise<void> = stage.commit) => {
    const events: Receipt["events"] = [];
    const stop = new AbortController();
    const idle = setTimeout(() => stop.abort(), 80);
    const save = async (arrival: Omit<Receipt, "reply">) => {
      await keep(arrival);
      events.push(...arrival.events);
    };
    const ended = await session.feed?.run(save, stop.signal).catch((error: unknown) => error);
    clearTimeout(idle);
    return { events, ended };
  };
  const control = (path: string, body: object) =>
    fetch(`${stage.origin}/control/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  return { ...stage, session, collect, control };
}
const textsOf = ({ events }: { events: Receipt["events"] }) =>
  events.map((event) => (event.type === "message" && event.content.type === "text" ? event.content.text : event.type));

describe("a bot that asks for its messages", () => {
  it("gets each once, and forgets none that was not kept", async () => {
    const { collect, telegram: emulator, person, bot } = await opened();
    emulator.phone.send(person, bot.id, { text: "one" });
    const full = collect(() => Promise.reject(new Error("the disk is full")));
    expect((await full).ended).toMatchObject({ message: "the disk is full" });
    expect(textsOf(await collect())).toEqual(["/start", "one"]);
    emulator.phone.send(person, bot.id, { text: "two" });
    expect(textsOf(await collect())).toEqual(["two"]);
  });

  it("tells in plain words that another program takes its messages, or that the token died", async () => {
    const { collect, api, bot } = await opened();
    const poll = {
      method: "getUpdates",
      params: { timeout: 2 },
      result: { safeParse: () => ({ success: true }) } as never,
    };
    await collect();
    const running = collect();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const other = api.ask({ ...poll, waiting: true }, AbortSignal.timeout(300)).catch(() => {});
    expect((await running).ended).toMatchObject({
      verdict: { type: "retry" },
      message: /another program takes/ as never,
    });
    await other;
    bot.token = "7712345601:AAanotherTokenThatTheOwnerHasMadeSince";
    expect((await collect()).ended).toMatchObject({ verdict: { type: "reconnect" } });
  });

  it("lets the button on the phone stop turning after a press", async () => {
    const { collect, telegram: emulator, person, bot, origin, chat } = await opened();
    const markup = { inline_keyboard: [[{ text: "Yes, please", callback_data: "yes" }]] };
    const init = { method: "POST", headers: { "content-type": "application/json" } };
    const body = JSON.stringify({ chat_id: chat, text: "Well?", reply_markup: markup });
    const sent = await (await fetch(`${origin}/bot${bot.token}/sendMessage`, { ...init, body })).json();
    await collect();
    emulator.phone.press(person, bot.id, (sent as { result: { message_id: number } }).result.message_id, "yes");
    expect(textsOf(await collect())).toEqual(["Yes, please"]);
    expect(emulator.calls.list().entries.map(({ method }) => method)).toContain("answerCallbackQuery");
  });
});

describe("a business account", () => {
  it("is spoken for in its owner's own chats, both ways", async () => {
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

describe("an update that breaks our own code", () => {
  it("is left aside, and the others go on; a database that fails is no such thing", async () => {
    const { context } = await openStage();
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
    expect(await read(broken, update)).toMatchObject({
      events: [],
      unknown: expect.stringContaining("x is undefined"),
    });
    const full = { ...context, notes: { ...context.notes, get: () => Promise.reject(new Error("disk full")) } };
    await expect(read(full, update)).rejects.toThrow("disk full");
  });
});
