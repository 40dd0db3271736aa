import { type Message, paintPng, SANDBOX_KEY, type Sandbox } from "gangway-sandbox";
import { phonesAt } from "../demo/phone.ts";
import { addBot, connectThroughForm, type Visit } from "../demo/set-up.ts";
import type { Chance } from "./chance.ts";
import type { Network } from "./network.ts";
import type { Time } from "./time.ts";

/** A message of one side. It begins with its name, `in 3` or `out 3`, however often it is edited. */
export interface Said {
  name: string;
  /** With the last edit. */
  text: string;
  hasPhoto: boolean;
  /** At whoever wrote it. */
  id: number;
}

/** What one customer and the agents have written to each other, in order. */
export interface Chat {
  person: number;
  bot: number;
  inbound: Said[];
  outbound: Said[];
  /** Texts that the customer's messenger shows of the shop. */
  shown(): string[];
}

export interface Account {
  crm: Sandbox;
  visit: Visit;
  chats: Chat[];
}

export interface People {
  accounts: Account[];
  /** They write until `end`, ms of virtual time. */
  talk(end: number): void;
  /** Whether every message has reached the other side, or is known not to. */
  isSettled(): boolean;
}

interface Parts {
  time: Time;
  chance: Chance;
  network: Network;
  /** Where the server is. */
  origin: string;
  crms: { origin: string; crm: Sandbox }[];
  chats: number;
  /** Of a person's messages, on average, ms. */
  intervalMs: number;
  failed(error: unknown): void;
}

/** The name at the beginning of a message's text. */
export const nameOf = (text: string): string | undefined => /^(in|out) \d+/.exec(text)?.[0];

/** A message's own, or its files'. */
export const textOf = ({ text, note }: Message) => text || note;

type Act = (typeof ACTS)[number];
const ACTS = ["text", "text", "text", "text", "text", "text", "text", "text", "edit", "photo"] as const;
const EDITED = "!";
const PHOTO = paintPng(8, 8, [15, 95, 107]);

/** Now and then somebody writes many at once. */
const BURST = { share: 0.05, most: 30 };
const BURST_MS = 50;

/** Connects the accounts, each with a bot of its own, and has its customers say hello. */
export async function createPeople(parts: Parts): Promise<People> {
  const { time, chance, network, origin, crms } = parts;
  const [first] = crms;
  if (!first) throw new Error("there is nobody without an account");
  const phones = phonesAt(`${first.origin}/telegram`, network.direct);
  const accounts: Account[] = [];
  for (const [n, { origin: crmOrigin, crm }] of crms.entries()) {
    const visit = await connectThroughForm(origin, crmOrigin, SANDBOX_KEY, undefined, network.direct);
    const bot = await phones.newBot(`simulated_${n}_bot`, `Simulated ${n}`);
    await addBot(visit, { name: bot.username, token: bot.token, updates: n % 2 === 0 ? "webhook" : "polling" });
    const chats: Chat[] = [];
    for (let c = 0; c < parts.chats; c++) {
      const { id } = await phones.newPerson({ firstName: `Customer ${n}-${c}`, language: "en" });
      // The phone shows only the newest ones.
      const room = () =>
        [...first.crm.telegram.world.rooms.values()].find((each) => each.bot === bot.id && each.people[0] === id);
      const shown = () =>
        [...(room()?.posts.values() ?? [])].flatMap(({ author, message }) =>
          author === bot.id ? [message.text ?? ""] : [],
        );
      chats.push({ person: id, bot: bot.id, inbound: [], outbound: [], shown });
    }
    accounts.push({ crm, visit, chats });
  }
  const telegram = `${first.origin}/telegram/phone/api`;
  const photo = async () => {
    const headers = { "x-file-name": "quay.png", "content-type": "image/png" };
    const kept = await network.direct(`${telegram}/files`, { method: "POST", headers, body: new Uint8Array(PHOTO) });
    return ((await kept.json()) as { id: string }).id;
  };
  const write = async (chat: Chat, act: Act) => {
    const edited = act === "edit" ? chat.inbound.at(-1) : undefined;
    if (edited?.id && !edited.hasPhoto) {
      edited.text += EDITED;
      await phones.ask("PATCH", `/phone/api/${chat.person}/chats/${chat.bot}/messages/${edited.id}`, {
        text: edited.text,
      });
      return;
    }
    const name = `in ${chat.inbound.length}`;
    const said = { name, text: name, hasPhoto: act === "photo", id: 0 };
    chat.inbound.push(said);
    const media = said.hasPhoto ? [{ kind: "photo" as const, file: await photo() }] : undefined;
    [said.id = 0] = await phones.say(chat.person, chat.bot, { text: name, media });
  };
  const answer = async ({ crm }: Account, { origin: crmOrigin }: { origin: string }, chat: Chat, act: Act) => {
    const known = [...crm.world.chats.values()].find(({ externalId }) => externalId === String(chat.person));
    const [user] = crm.world.users.values();
    if (!known || !user) return;
    const headers = { "content-type": "application/json", "x-bot-token": user.token };
    const ask = (method: string, path: string, body: object) =>
      network.direct(`${crmOrigin}/api/bot/v1/messages${path}`, { method, headers, body: JSON.stringify(body) });
    const edited = act === "edit" ? chat.outbound.at(-1) : undefined;
    if (edited?.id) {
      // The gateway refuses it while the message has not arrived.
      const answered = await ask("PATCH", `/${edited.id}`, { content: edited.text + EDITED });
      if (answered.ok) edited.text += EDITED;
      return;
    }
    const name = `out ${chat.outbound.length}`;
    const said = { name, text: name, hasPhoto: false, id: 0 };
    chat.outbound.push(said);
    const answered = await ask("POST", "", { chat_id: known.id, scope: "public", type: "text", content: name });
    // Beyond the Bot API's own limit: it was never written.
    if (answered.ok) said.id = ((await answered.json()) as { message_id: number }).message_id;
    else chat.outbound.splice(chat.outbound.indexOf(said), 1);
  };
  /** Speaks again and again until `end`, in bursts now and then. */
  const keepOn = (name: string, end: number, speak: (act: Act) => Promise<void>) => {
    const say = (left: number) => {
      const act = ACTS[Math.floor(chance.draw(`act ${name}`) * ACTS.length)] ?? "text";
      speak(act).catch(parts.failed);
      if (left > 1) time.after(BURST_MS, () => say(left - 1));
      else next();
    };
    const next = () => {
      const wait = -Math.log(1 - chance.draw(`pause ${name}`)) * parts.intervalMs;
      if (time.now() + wait > end) return;
      const draw = chance.draw(`burst ${name}`);
      const count = draw < BURST.share ? Math.ceil((draw / BURST.share) * BURST.most) : 1;
      time.after(wait, () => say(count));
    };
    next();
  };
  return {
    accounts,
    talk(end) {
      for (const [n, account] of accounts.entries())
        for (const [c, chat] of account.chats.entries()) {
          write(chat, "text").catch(parts.failed);
          keepOn(`customer ${n}-${c}`, end, (act) => write(chat, act));
          keepOn(`agent ${n}-${c}`, end, (act) => answer(account, crms[n] ?? first, chat, act));
        }
    },
    isSettled: () =>
      accounts.every(({ crm: { world }, chats }) => {
        const wanted = chats.reduce((sum, { inbound }) => sum + inbound.length, 0);
        const heard = world.messages.filter(
          ({ from, text, note }) => from.type === "customer" && nameOf(text || note),
        ).length;
        const open = ({ from, status }: (typeof world.messages)[number]) =>
          from.type === "user" && (status === "sending" || status === "sent");
        return heard >= wanted && !world.messages.some(open);
      }),
  };
}
