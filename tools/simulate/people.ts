import { SANDBOX_KEY, type Sandbox } from "gangway-sandbox";
import { phonesAt } from "../demo/phone.ts";
import { addBot, connectThroughForm, type Visit } from "../demo/set-up.ts";
import type { Chance } from "./chance.ts";
import type { Network } from "./network.ts";
import type { Time } from "./time.ts";

/** What one customer and the agents have written to each other, in order. */
export interface Chat {
  person: number;
  bot: number;
  inbound: string[];
  outbound: string[];
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
  const write = async (chat: Chat) => {
    const text = `in ${chat.inbound.length}`;
    chat.inbound.push(text);
    await phones.say(chat.person, chat.bot, { text });
  };
  const answer = async ({ crm }: Account, { origin: crmOrigin }: { origin: string }, chat: Chat) => {
    const known = [...crm.world.chats.values()].find(({ externalId }) => externalId === String(chat.person));
    const [user] = crm.world.users.values();
    if (!known || !user) return;
    const text = `out ${chat.outbound.length}`;
    chat.outbound.push(text);
    const headers = { "content-type": "application/json", "x-bot-token": user.token };
    const body = JSON.stringify({ chat_id: known.id, scope: "public", type: "text", content: text });
    const answered = await network.direct(`${crmOrigin}/api/bot/v1/messages`, { method: "POST", headers, body });
    // Beyond the Bot API's own limit: an agent's message that was never written.
    if (!answered.ok) chat.outbound.pop();
  };
  /** Speaks again and again until `end`, in bursts now and then. */
  const keepOn = (name: string, end: number, speak: () => Promise<void>) => {
    const say = (left: number) => {
      speak().catch(parts.failed);
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
          write(chat).catch(parts.failed);
          keepOn(`customer ${n}-${c}`, end, () => write(chat));
          keepOn(`agent ${n}-${c}`, end, () => answer(account, crms[n] ?? first, chat));
        }
    },
    isSettled: () =>
      accounts.every(({ crm: { world }, chats }) => {
        const wanted = chats.reduce((sum, { inbound }) => sum + inbound.length, 0);
        const heard = world.messages.filter(({ from }) => from.type === "customer").length;
        const open = ({ from, status }: (typeof world.messages)[number]) =>
          from.type === "user" && (status === "sending" || status === "sent");
        return heard >= wanted && !world.messages.some(open);
      }),
  };
}
