import { type Message, SANDBOX_KEY, type Sandbox } from "gangway-sandbox";
import { connectThroughForm, type Visit } from "gangway-sandbox/demo/set-up";
import { messengerIn } from "./any-messenger.ts";
import type { Chance } from "./chance.ts";
import { type Customer, type Messenger, type Presence, type Said, telegramIn, whatsappIn } from "./customers.ts";
import type { Network } from "./network.ts";
import type { Time } from "./time.ts";

/** Everything that one customer and the agents have written to each other, in order. */
export interface Chat {
  /** Of account and chat. */
  name: string;
  customer: Customer;
  inbound: Said[];
  outbound: Said[];
}

export interface Account {
  crm: Sandbox;
  /** Of the CRM. */
  origin: string;
  /** The merchant's, to the account page. */
  visit: Visit;
  /** Visits it anew. */
  connect(): Promise<void>;
  presence: Presence;
  chats: Chat[];
}

export interface People {
  accounts: Account[];
  /** They write until `end`, ms of virtual time. */
  talk(end: number): void;
  /** Each writes once more. */
  sayFarewell(): Promise<void>;
  /** Whether every message has reached the other side, or is known to have failed. */
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
  /** The kind that the first account has (default: one of the world's own). */
  messenger?: string;
  /** Of a person's messages, on average, ms. */
  intervalMs: number;
  failed(error: unknown): void;
}

/** The name at the beginning of a text. */
export const nameOf = (text: string): string | undefined => /^(in|out) \d+-\d+-\d+/.exec(text)?.[0];

/** A message's own, or its files'. */
const textOf = ({ text, note }: Message) => text || note;

/** The customer's chats at the gateway, latest last: a channel that is added again has new ones. */
const gatewayChatsOf = ({ crm }: Account, { customer }: Chat) =>
  [...crm.world.chats.values()].filter(({ externalId }) => externalId === customer.id);

/** Messages of one side in a chat at the gateway. */
export function messagesOf(account: Account, chat: Chat, from: "customer" | "user"): Message[] {
  const ids = gatewayChatsOf(account, chat).map(({ id }) => id);
  return account.crm.world.messages.filter(({ chatId, from: by }) => ids.includes(chatId) && by.type === from);
}

/**
 * The customer's messages that the gateway has: an album's are the lines of one. Late photos have text of their own.
 */
export const heard = (account: Account, chat: Chat): { name: string; line: string; message: Message }[] =>
  messagesOf(account, chat, "customer").flatMap((message) =>
    (nameOf(textOf(message)) ? textOf(message).split("\n") : []).flatMap((line) => {
      const name = nameOf(line);
      return name ? [{ name, line, message }] : [];
    }),
  );

/** Which of the customer's messages the gateway lacks. */
export function missingIn(account: Account, chat: Chat): string[] {
  const names = new Set(heard(account, chat).map(({ name }) => name));
  return chat.inbound.filter(({ name, isExcused }) => !isExcused && !names.has(name)).map(({ name }) => name);
}

type Act = (typeof ACTS)[number];
const ACTS = [...Array<"text">(10).fill("text"), "edit", "edit", "photo", "album", "answer", "answer"] as const;
const EDITED = "!";

/** Sometimes somebody writes many at once. */
const BURST = { share: 0.05, most: 30 };
const BURST_MS = 50;

/** Connects an account with a channel. */
async function connect(
  { network, origin, chats: count }: Parts,
  { n, crm, crmOrigin }: { n: number; crm: Sandbox; crmOrigin: string },
  messenger: Messenger,
): Promise<Account> {
  const visitIt = () => connectThroughForm(origin, crmOrigin, SANDBOX_KEY, undefined, network.direct);
  const visit = await visitIt();
  const presence = await messenger.join(visit, n, count);
  const chats = presence.customers.map((customer, c) => ({ name: `${n}-${c}`, customer, inbound: [], outbound: [] }));
  const account: Account = {
    ...{ crm, origin: crmOrigin, visit, presence, chats },
    async connect() {
      account.visit = await visitIt();
    },
  };
  return account;
}

type Speak<Where> = (where: Where, act: Act) => Promise<void>;

/** Acts of customers in their messengers. */
const write: Speak<Chat> = async ({ name: of, customer, inbound }, act) => {
  // Writing about an erased message would bring it back.
  const last = inbound.at(-1)?.isExcused ? undefined : inbound.at(-1);
  if (act === "edit" && customer.edit && last?.id) {
    last.text += EDITED;
    return customer.edit(last);
  }
  const answered = act === "answer" && last?.id ? last : undefined;
  const photos = { photo: 1, album: customer.album }[act as string] ?? 0;
  // Each photo of an album has a caption, and so a name, of its own.
  const said = Array.from({ length: Math.max(1, photos) }, (_, n): Said => {
    const name = `in ${of}-${inbound.length + n}`;
    return { name, text: name, hasPhoto: photos > 0, answers: answered?.name, id: "" };
  });
  inbound.push(...said);
  const ids = await customer.say(said, answered);
  for (const [n, each] of said.entries()) each.id = ids[n] ?? "";
};

/** Agents, who use the gateway's Bot API. */
const agentsAt =
  (network: Network): Speak<{ account: Account; chat: Chat }> =>
  async ({ account, chat }, act) => {
    const { crm, origin } = account;
    const { name: of, outbound } = chat;
    const known = gatewayChatsOf(account, chat).at(-1);
    const [user] = crm.world.users.values();
    if (!known || !user) return;
    const headers = { "content-type": "application/json", "x-bot-token": user.token };
    const ask = (method: string, path: string, body: object) =>
      network.direct(`${origin}/api/bot/v1/messages${path}`, { method, headers, body: JSON.stringify(body) });
    const edited = act === "edit" ? outbound.at(-1) : undefined;
    if (edited?.id && !edited.isExcused) {
      // The gateway refuses it while the message has not arrived.
      const answered = await ask("PATCH", `/${edited.id}`, { content: edited.text + EDITED });
      if (answered.ok) edited.text += EDITED;
      return;
    }
    const name = `out ${of}-${outbound.length}`;
    const all = act === "answer" ? heard(account, chat) : [];
    // An album is its first photo to the messenger.
    const first = all.find(({ message }) => message === all.at(-1)?.message);
    const isErased = chat.inbound.find(({ name }) => name === first?.name)?.isExcused;
    const quoted = isErased ? undefined : first;
    const said: Said = { name, text: name, hasPhoto: false, answers: quoted?.name, id: "" };
    outbound.push(said);
    const message = { chat_id: known.id, scope: "public", type: "text", content: name };
    const answered = await ask("POST", "", { ...message, quote_message_id: quoted?.message.id });
    // Beyond the Bot API's own limit: it was never written.
    if (answered.ok) said.id = String(((await answered.json()) as { message_id: number }).message_id);
    else outbound.splice(outbound.indexOf(said), 1);
  };

/** Writes repeatedly until `end`, sometimes in bursts. */
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
  const { network, chance, crms } = parts;
  const [first] = crms;
  if (!first) throw new Error("there is nobody without an account");
  const all = [telegramIn(first, network), whatsappIn(first, network)];
  const messengers = chance.pick("messenger", [all, all.toReversed()]);
  if (parts.messenger) messengers.unshift(messengerIn(first, parts.messenger));
  const accounts: Account[] = [];
  for (const [n, { origin, crm }] of crms.entries()) {
    const messenger = messengers[n % messengers.length] as Messenger;
    accounts.push(await connect(parts, { n, crm, crmOrigin: origin }, messenger));
  }
  const answer = agentsAt(network);
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
      ...messengers.flatMap((messenger) => messenger.secrets()),
      ...accounts.flatMap(({ crm }) =>
        [...crm.world.modules.values()].flatMap(({ token, registration }) => [token, registration.clientId]),
      ),
    ],
    isSettled: () => accounts.every(isSettled) && messengers.every(({ isQuiet }) => isQuiet()),
  };
}

function isSettled(account: Account): boolean {
  const isOpen = ({ from, status }: Message) => from.type === "user" && (status === "sending" || status === "sent");
  return (
    account.chats.every((chat) => missingIn(account, chat).length === 0) && !account.crm.world.messages.some(isOpen)
  );
}
