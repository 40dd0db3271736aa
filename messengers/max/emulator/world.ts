import { randomBytes } from "node:crypto";

export interface Subscription {
  url: string;
  secret?: string;
  updateTypes?: string[];
  /** Unix time, ms. */
  time: number;
}
export interface Bot {
  id: number;
  name: string;
  username: string;
  token: string;
  subscriptions: Map<string, Subscription>;
  /** For GET /updates: those after `committed`, by number. */
  queue: { marker: number; update: object }[];
  lastMarker: number;
  committed: number;
}
export interface Person {
  n: number;
  id: number;
  firstName: string;
  lastName?: string;
  username?: string;
  locale: string;
  phone: string;
}
/** As on the wire. */
export interface Attachment {
  type: string;
  payload?: Record<string, unknown>;
  [name: string]: unknown;
}
export interface Markup {
  type: string;
  from: number;
  length: number;
  url?: string;
}
export interface Message {
  mid: string;
  /** 64 bits, as digits. */
  seq: string;
  /** Unix time, ms. */
  at: number;
  from: "customer" | "bot";
  text?: string;
  markup: Markup[];
  attachments: Attachment[];
  link?: { type: "reply" | "forward"; message: Message; sender?: Person | Bot };
  isEdited: boolean;
  isDeleted: boolean;
}
export interface Dialog {
  chatId: number;
  bot: Bot;
  person: Person;
  /** `new`: the person has not started the bot. */
  status: "new" | "active" | "suspended";
  messages: Message[];
  /** The bot has seen what came until then. */
  seenAt: number;
  typing?: string;
}
export interface World {
  bots: Bot[];
  people: Person[];
  dialogs: Dialog[];
}

const makeBot = (id: number, name: string, username: string, token: string): Bot => ({
  ...{ id, name, username, token },
  subscriptions: new Map(),
  ...{ queue: [], lastMarker: 25_493_970, committed: 0 },
});

/** What the demo types into the form. */
export const TOKEN = "f9LHodD0cOKsandboxBotTokenOfTheQuayShop0000000000000001";
export const THIRD_TOKEN = "f9LHodD0cOKsandboxBotTokenOfTheDepot0000000000000000003";
export const SECOND_TOKEN = "f9LHodD0cOKsandboxBotTokenOfTheOutlet000000000000000002";

export const createWorld = (): World => ({
  bots: [
    makeBot(229_229_229, "Sandbox Shop", "sandbox_shop_bot", TOKEN),
    makeBot(229_229_230, "Sandbox Outlet", "sandbox_outlet_bot", SECOND_TOKEN),
    makeBot(229_229_231, "Sandbox Depot", "sandbox_depot_bot", THIRD_TOKEN),
  ],
  people: [
    { n: 1, id: 123_456_781, firstName: "Анна", lastName: "Орлова", username: "anna_orlova", locale: "ru" },
    { n: 2, id: 123_456_782, firstName: "Robin", locale: "en" },
  ].map((person) => ({ ...person, phone: `7999000000${person.n}` })),
  dialogs: [],
});

/** The dialog of a person with a bot; made when somebody looks. */
export function dialogOf(world: World, bot: Bot, person: Person): Dialog {
  const known = world.dialogs.find((each) => each.bot === bot && each.person === person);
  if (known) return known;
  const chatId = 182_182_000 + (bot.id % 1_000) * 10 + person.n;
  const made: Dialog = { chatId, bot, person, status: "new", messages: [], seenAt: 0 };
  world.dialogs.push(made);
  return made;
}

let sequence = 0n;

/** A message at the end of a dialog. */
export function addMessage(
  dialog: Dialog,
  at: number,
  given: Pick<Message, "from"> & Partial<Omit<Message, "mid" | "seq" | "at">>,
): Message {
  sequence += 1n;
  const seq = (BigInt(at) * 65_536n + sequence).toString();
  const mid = `mid.${randomBytes(16).toString("hex")}`;
  const message = { mid, seq, at, markup: [], attachments: [], isEdited: false, isDeleted: false, ...given };
  dialog.messages.push(message);
  return message;
}

export function findMessage(world: World, mid: string): { dialog: Dialog; message: Message } | undefined {
  for (const dialog of world.dialogs) {
    const message = dialog.messages.find((each) => each.mid === mid && !each.isDeleted);
    if (message) return { dialog, message };
  }
  return undefined;
}

export const nameOf = ({ firstName, lastName }: Person): string => [firstName, lastName].filter(Boolean).join(" ");

/** Somebody shares their own number. */
export const vcardOf = (person: Person): string =>
  [`BEGIN:VCARD`, `VERSION:3.0`, `TEL;TYPE=cell:${person.phone}`, `FN:${nameOf(person)}`, `END:VCARD`, ``].join("\r\n");
