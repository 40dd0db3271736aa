import { type Message, paintPng, SANDBOX_KEY, type Sandbox } from "gangway-sandbox";
import { type Phones, phonesAt } from "../demo/phone.ts";
import { addBot, connectThroughForm, type Visit } from "../demo/set-up.ts";
import type { Chance } from "./chance.ts";
import type { Network } from "./network.ts";
import type { Time } from "./time.ts";

/** A message of one side. It begins with its name, such as `in 0-2-3`: of account, chat and message, however often it is edited. */
export interface Said {
  name: string;
  /** With the last edit. */
  text: string;
  hasPhoto: boolean;
  /** Name of the message that it answers. */
  answers?: string;
  /** At whoever wrote it. */
  id: number;
}

/** What one customer and the agents have written to each other, in order. */
export interface Chat {
  /** Of account and chat. */
  name: string;
  person: number;
  bot: number;
  inbound: Said[];
  outbound: Said[];
  /** What the customer's messenger shows of the shop; `answers`: its id of the message that is answered. */
  shown(): { text: string; answers?: number }[];
}

export interface Account {
  crm: Sandbox;
  /** Of the CRM. */
  origin: string;
  /** The merchant's, to the account page. */
  visit: Visit;
  chats: Chat[];
}

export interface People {
  accounts: Account[];
  /** They write until `end`, ms of virtual time. */
  talk(end: number): void;
  /** Each writes once more. */
  sayFarewell(): Promise<void>;
  /** Whether every message has reached the other side, or is known not to. */
  isSettled(): boolean;
  /** What must not be in a log. */
  secrets(): string[];
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

/** The name at the beginning of a text. */
export const nameOf = (text: string): string | undefined => /^(in|out) \d+-\d+-\d+/.exec(text)?.[0];

/** A message's own, or its files'. */
const textOf = ({ text, note }: Message) => text || note;

/** The customer's chat at the gateway, once it knows them. */
export const gatewayChatOf = ({ crm }: Account, { person }: Chat) =>
  [...crm.world.chats.values()].find(({ externalId }) => externalId === String(person));

/** What the gateway has in a chat of one side. */
export function messagesOf(account: Account, chat: Chat, from: "customer" | "user"): Message[] {
  const id = gatewayChatOf(account, chat)?.id;
  return account.crm.world.messages.filter((message) => message.chatId === id && message.from.type === from);
}

/** Which of the customer's messages the gateway has: an album's are the lines of one. Late photos have words of their own. */
export const heard = (account: Account, chat: Chat): { name: string; line: string; message: Message }[] =>
  messagesOf(account, chat, "customer").flatMap((message) =>
    (nameOf(textOf(message)) ? textOf(message).split("\n") : []).flatMap((line) => {
      const name = nameOf(line);
      return name ? [{ name, line, message }] : [];
    }),
  );

type Act = (typeof ACTS)[number];
const ACTS = [...Array<"text">(10).fill("text"), "edit", "edit", "photo", "album", "answer", "answer"] as const;
const EDITED = "!";
export const PHOTO = paintPng(8, 8, [15, 95, 107]);
/** Photos of an album. */
const ALBUM = 3;

/** Now and then somebody writes many at once. */
const BURST = { share: 0.05, most: 30 };
const BURST_MS = 50;

/** Connects an account with a bot of its own. `messenger`: whose sandbox emulates it for all of them. */
async function connect(
  { network, origin, chats: count }: Parts,
  { n, crm, crmOrigin }: { n: number; crm: Sandbox; crmOrigin: string },
  { phones, messenger }: { phones: Phones; messenger: Sandbox },
): Promise<Account> {
  const visit = await connectThroughForm(origin, crmOrigin, SANDBOX_KEY, undefined, network.direct);
  const bot = await phones.newBot(`simulated_${n}_bot`, `Simulated ${n}`);
  await addBot(visit, { name: bot.username, token: bot.token, updates: n % 2 === 0 ? "webhook" : "polling" });
  const chats: Chat[] = [];
  for (let c = 0; c < count; c++) {
    const { id } = await phones.newPerson({ firstName: `Customer ${n}-${c}`, language: "en" });
    // The phone shows only the newest ones.
    const { rooms } = messenger.telegram.world;
    const room = () => [...rooms.values()].find((each) => each.bot === bot.id && each.people[0] === id);
    const posts = () => [...(room()?.posts.values() ?? [])].filter(({ author }) => author === bot.id);
    const shown = () =>
      posts().map(({ message: { text = "", reply_to_message } }) => ({ text, answers: reply_to_message?.message_id }));
    chats.push({ name: `${n}-${c}`, person: id, bot: bot.id, inbound: [], outbound: [], shown });
  }
  return { crm, origin: crmOrigin, visit, chats };
}

type Speak<Where> = (where: Where, act: Act) => Promise<void>;

/** Customers, who use their phones. */
function customersAt(phones: Phones, network: Network, telegram: string): Speak<Chat> {
  const photo = async () => {
    const headers = { "x-file-name": "quay.png", "content-type": "image/png" };
    const init = { method: "POST", headers, body: new Uint8Array(PHOTO) };
    return ((await (await network.direct(`${telegram}/phone/api/files`, init)).json()) as { id: string }).id;
  };
  return async ({ name: of, person, bot, inbound }, act) => {
    const last = inbound.at(-1);
    if (act === "edit" && last?.id) {
      last.text += EDITED;
      await phones.ask("PATCH", `/phone/api/${person}/chats/${bot}/messages/${last.id}`, { text: last.text });
      return;
    }
    const answered = act === "answer" && last?.id ? last : undefined;
    const photos = { photo: 1, album: ALBUM }[act as string] ?? 0;
    // Each photo of an album has a caption, and so a name, of its own.
    const said = Array.from({ length: Math.max(1, photos) }, (_, n): Said => {
      const name = `in ${of}-${inbound.length + n}`;
      return { name, text: name, hasPhoto: photos > 0, answers: answered?.name, id: 0 };
    });
    inbound.push(...said);
    const file = photos > 0 ? await photo() : "";
    const media = photos > 0 ? said.map(({ text: caption }) => ({ kind: "photo" as const, file, caption })) : undefined;
    const ids = await phones.say(person, bot, { text: said[0]?.text, media, replyTo: answered?.id });
    for (const [n, each] of said.entries()) each.id = ids[n] ?? 0;
  };
}

/** Agents, who use the gateway's Bot API. */
const agentsAt =
  (network: Network): Speak<{ account: Account; chat: Chat }> =>
  async ({ account, chat }, act) => {
    const { crm, origin } = account;
    const { name: of, outbound } = chat;
    const known = gatewayChatOf(account, chat);
    const [user] = crm.world.users.values();
    if (!known || !user) return;
    const headers = { "content-type": "application/json", "x-bot-token": user.token };
    const ask = (method: string, path: string, body: object) =>
      network.direct(`${origin}/api/bot/v1/messages${path}`, { method, headers, body: JSON.stringify(body) });
    const edited = act === "edit" ? outbound.at(-1) : undefined;
    if (edited?.id) {
      // The gateway refuses it while the message has not arrived.
      const answered = await ask("PATCH", `/${edited.id}`, { content: edited.text + EDITED });
      if (answered.ok) edited.text += EDITED;
      return;
    }
    const name = `out ${of}-${outbound.length}`;
    const all = act === "answer" ? heard(account, chat) : [];
    // An album is its first photo to the messenger.
    const quoted = all.find(({ message }) => message === all.at(-1)?.message);
    const said: Said = { name, text: name, hasPhoto: false, answers: quoted?.name, id: 0 };
    outbound.push(said);
    const message = { chat_id: known.id, scope: "public", type: "text", content: name };
    const answered = await ask("POST", "", { ...message, quote_message_id: quoted?.message.id });
    // Beyond the Bot API's own limit: it was never written.
    if (answered.ok) said.id = ((await answered.json()) as { message_id: number }).message_id;
    else outbound.splice(outbound.indexOf(said), 1);
  };

/** Speaks again and again until `end`, in bursts now and then. */
function keepOn(
  { time, chance, intervalMs, failed }: Parts,
  name: string,
  end: number,
  speak: (act: Act) => Promise<void>,
): void {
  const say = (left: number) => {
    speak(chance.pick(`act ${name}`, ACTS)).catch(failed);
    if (left > 1) time.after(BURST_MS, () => say(left - 1));
    else next();
  };
  const next = () => {
    const wait = chance.wait(`pause ${name}`, intervalMs);
    if (time.now() + wait > end) return;
    const draw = chance.draw(`burst ${name}`);
    const count = draw < BURST.share ? Math.ceil((draw / BURST.share) * BURST.most) : 1;
    time.after(wait, () => say(count));
  };
  next();
}

/** Connects the accounts. */
export async function createPeople(parts: Parts): Promise<People> {
  const { network, crms } = parts;
  const [first] = crms;
  if (!first) throw new Error("there is nobody without an account");
  const telegram = `${first.origin}/telegram`;
  const phones = phonesAt(telegram, network.direct);
  const accounts: Account[] = [];
  for (const [n, { origin, crm }] of crms.entries())
    accounts.push(await connect(parts, { n, crm, crmOrigin: origin }, { phones, messenger: first.crm }));
  const [write, answer] = [customersAt(phones, network, telegram), agentsAt(network)];
  const each = accounts.flatMap((account) => account.chats.map((chat) => ({ account, chat })));
  return {
    accounts,
    talk(end) {
      for (const where of each) {
        const { chat } = where;
        write(chat, "text").catch(parts.failed);
        keepOn(parts, `customer ${chat.name}`, end, (act) => write(chat, act));
        keepOn(parts, `agent ${chat.name}`, end, (act) => answer(where, act));
      }
    },
    async sayFarewell() {
      for (const where of each) {
        await write(where.chat, "text");
        await answer(where, "text");
      }
    },
    secrets: () => [
      SANDBOX_KEY,
      ...[...first.crm.telegram.world.bots.values()].map(({ token }) => token),
      ...accounts.flatMap(({ crm }) =>
        [...crm.world.modules.values()].flatMap(({ token, registration }) => [token, registration.clientId]),
      ),
    ],
    isSettled: () => accounts.every(isSettled),
  };
}

function isSettled(account: Account): boolean {
  const isOpen = ({ from, status }: Message) => from.type === "user" && (status === "sending" || status === "sent");
  return (
    account.chats.every((chat) => heard(account, chat).length >= chat.inbound.length) &&
    !account.crm.world.messages.some(isOpen)
  );
}
