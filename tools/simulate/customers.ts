import { paintPng, type Sandbox, type WhatsApp } from "gangway-sandbox";
import { phonesAt } from "gangway-sandbox/demo/phone";
import type { Visit } from "gangway-sandbox/demo/set-up";
import { hearsay } from "../torture/hearsay.ts";
import { addNumber, FAILURE, phonesOf } from "../torture/numbers.ts";
import { textOf } from "../torture/outcomes.ts";
import type { Network } from "./network.ts";

/**
 * A message of one side. Its text begins with its name, such as `in 0-2-3`: account, chat and message, however often it
 * is edited.
 */
export interface Said {
  name: string;
  /** With the last edit. */
  text: string;
  hasPhoto: boolean;
  /** Name of the message that it answers. */
  answers?: string;
  /** Its id at the author's side; "" until known. */
  id: string;
  /** Whether it may be missing at the other side: its customer was erased after it, or its channel was away. */
  isExcused?: boolean;
}

/** Somebody who writes to the shop in a messenger. */
export interface Customer {
  /** Their ids at the gateway. */
  id: string;
  /** What finds them on the page of customers. */
  called: string;
  /** Writes it: with photos, if any, all in one album. Resolves with the ids. */
  say(said: Said[], answered?: Said): Promise<string[]>;
  /** Undefined if the edit may overtake what it edits. */
  edit?(said: Said): Promise<void>;
  /**
   * What their messenger shows from the shop; `answers`: its id of the quoted message; `isRead`: it reports that the
   * customer has read it.
   */
  shown(): { text: string; answers?: string; isRead?: boolean }[];
  /** Texts that the messenger accepted from the shop, and then failed to deliver. */
  failed(): string[];
  /** Whether the server had the one when the other was written. Both are theirs, written in this order. */
  precedes(one: Said, other: Said): boolean;
  /** Photos of an album; 1: there are none. */
  album: number;
}

/** An account's login at a messenger. */
export interface Presence {
  customers: Customer[];
  /** As its channel is added to the account. */
  kind: string;
  name: string;
  settings(): Record<string, string>;
  /** From now on the messenger accepts only new credentials, which these settings contain. */
  revoke?(): Promise<void>;
}

/** If the server cannot know the outcome of a call to a messenger, it calls again. */
export const UNSURE = "resend";

/** A messenger of the world, with a channel and customers for an account. */
export interface Messenger {
  join(visit: Visit, n: number, chats: number): Promise<Presence>;
  /** Whether it has reported everything to the server. */
  isQuiet(): boolean;
  /** Secrets that must not be in a log. */
  secrets(): string[];
}

export const PHOTO = paintPng(8, 8, [15, 95, 107]);
const ALBUM = 3;

/** Bots with webhooks, and polling bots. `crm`: whose sandbox emulates Telegram for all accounts. */
export function telegramIn({ crm, origin }: { crm: Sandbox; origin: string }, network: Network): Messenger {
  const at = `${origin}/telegram`;
  const phones = phonesAt(at, network.direct);
  const { rooms } = crm.telegram.world;
  const tokens: string[] = [];
  const upload = async () => {
    const headers = { "x-file-name": "quay.png", "content-type": "image/png" };
    const init = { method: "POST", headers, body: new Uint8Array(PHOTO) };
    return ((await (await network.direct(`${at}/phone/api/files`, init)).json()) as { id: string }).id;
  };
  const customer = (id: number, bot: number, called: string): Customer => ({
    ...{ id: String(id), called },
    album: ALBUM,
    async say(said, answered) {
      const file = said[0]?.hasPhoto ? await upload() : "";
      const media = file ? said.map(({ text: caption }) => ({ kind: "photo" as const, file, caption })) : undefined;
      const replyTo = answered && Number(answered.id);
      return (await phones.say(id, bot, { text: said[0]?.text, media, replyTo })).map(String);
    },
    edit: ({ id: message, text }) => phones.ask("PATCH", `/phone/api/${id}/chats/${bot}/messages/${message}`, { text }),
    // The phone shows only the newest ones.
    shown() {
      const room = [...rooms.values()].find((each) => each.bot === bot && each.people[0] === id);
      const posts = [...(room?.posts.values() ?? [])].filter(({ author }) => author === bot);
      return posts.map(({ message: { text = "", reply_to_message: answered } }) => ({
        text,
        answers: answered && String(answered.message_id),
      }));
    },
    failed: () => [],
    // An update waits for the previous one.
    precedes: () => true,
  });
  return {
    async join(visit, n, chats) {
      let bot = await phones.newBot(`simulated_${n}_bot`, `Simulated ${n}`);
      tokens.push(bot.token);
      const updates = n % 2 === 0 ? "webhook" : "polling";
      const settings = () => ({ token: bot.token, updates, language: "en", groups: "off" });
      const name = bot.username;
      await visit.add("telegram", name, settings(), UNSURE);
      const customers: Customer[] = [];
      for (let c = 0; c < chats; c++) {
        const firstName = `Customer ${n}-${c}`;
        const { id } = await phones.newPerson({ firstName, language: "en" });
        customers.push(customer(id, bot.id, firstName));
      }
      const revoke = async () => {
        bot = await phones.ask("POST", `/phone/api/bots/${bot.id}/revoke`);
        tokens.push(bot.token);
      };
      return { customers, kind: "telegram", name, settings, revoke };
    },
    // An undelivered update shows as a message that the gateway lacks.
    isQuiet: () => true,
    secrets: () => tokens,
  };
}

/** Webhooks sometimes come twice or out of order; two numbers share an account and its subscription. */
const COURIER = { duplicates: 0.05, disorder: 0.1, disorderMs: 3_000, repeats: "follow" };
/** Some accepted messages fail later, for this reason. */
const FAILING = { operation: "outcome", code: FAILURE, probability: 0.05 };

/** Numbers, whose webhooks keep no order. `crm`: whose sandbox emulates WhatsApp for all accounts. */
export function whatsappIn({ crm, origin }: { crm: Sandbox; origin: string }, network: Network): Messenger {
  const { network: own } = crm.emulators.whatsapp as WhatsApp;
  const heard = hearsay(own.core.journal);
  own.switches.set(COURIER);
  own.core.faults.plan(FAILING);
  const secrets: string[] = [];
  const post = phonesOf(`${origin}/whatsapp/control`, network.direct);
  const media = ({ text: caption }: Said) => ({
    ...{ kind: "image", name: "quay.png", mediaType: "image/png", caption },
    base64: Buffer.from(PHOTO).toString("base64"),
  });
  const sentTo = (n: number, number: string) =>
    (own.world.chats.get(`${number}:${n}`)?.messages ?? []).filter(({ from }) => from === "business");
  const customer = (id: string, n: number, number: string, called: string): Customer => ({
    ...{ id, called },
    album: 1,
    async say([said], answered) {
      if (!said) return [];
      const content = said.hasPhoto ? { media: media(said) } : { text: said.text };
      const sent = { ...content, ...(answered && { quote: answered.id }) };
      return [(await post<{ id: string }>(`customers/${n}/messages?number=${number}`, sent)).id];
    },
    shown: () =>
      sentTo(n, number)
        .filter(({ status }) => status !== "failed")
        .map((message) => ({ text: textOf(message), answers: message.quote, isRead: message.status === "read" })),
    failed: () =>
      sentTo(n, number)
        .filter(({ status }) => status === "failed")
        .map(textOf),
    precedes(one, other) {
      const [first, second] = [one, other].map(({ id: message }) => own.world.messages.get(message)?.message);
      return first !== undefined && second !== undefined && heard.precedes(first, second);
    },
  });
  return {
    async join(visit, n, chats) {
      const name = `Simulated ${n}`;
      const given = { name, n, customers: chats, policy: UNSURE };
      const { id, customers: people, settings, secrets: known } = await addNumber(post, visit, given);
      secrets.push(...known);
      const customers = people.map((made, c) => customer(made.userId, made.n, id, `Customer ${n}-${c}`));
      return { customers, kind: "whatsapp", name, settings: () => settings };
    },
    isQuiet: () => own.core.courier.waiting() === 0,
    secrets: () => secrets,
  };
}
