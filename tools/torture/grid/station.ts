import {
  type BotCard,
  type MediaKind,
  type Message,
  type PhoneMessage,
  paintPng,
  type RunningSandbox,
  SANDBOX_KEY,
  serveSandbox,
  type Telegram,
} from "gangway-sandbox";
import { type Phones, phonesAt } from "gangway-sandbox/demo/phone";
import { addBot, connectThroughForm, type Visit } from "gangway-sandbox/demo/set-up";
import { becomes } from "gangway-sandbox/demo/waiting";
import type { LedgerWatch } from "./ledger-watch.ts";

/** An isolated account with a bot and a customer; its faults affect no other. */
export interface Station {
  server: string;
  /** IP address of the person at the form. */
  address: string;
  crm: RunningSandbox;
  telegram: Telegram;
  phones: Phones;
  visit: Visit;
  /** The server's id of the channel. */
  channel: string;
  bot: BotCard;
  person: number;
  polls: boolean;
  /** A second bot, to be added under a fault. */
  other?: BotCard;
  ledger: LedgerWatch;
  /** Texts in the order they were sent. */
  inbound: string[];
  outbound: string[];
}

export interface SharedParts {
  /** The server's origin. */
  server: string;
  telegram: Telegram;
  /** The emulated messenger's. */
  messenger: string;
  ledger: LedgerWatch;
}

/** The gateway never gives up, so every loss is the server's. */
const PATIENT = { webhookRetryForMs: 3_600_000, ackDeadlineMs: 3_600_000, crmPerSecond: 0 };

/** One IP address per person: the form limits tries by address. */
const addressOf = (n: number) => `10.1.${n >> 8}.${n & 255}`;

export async function openStation(shared: SharedParts, n: number, polls: boolean): Promise<Station> {
  const crm = await serveSandbox({ port: 0, settings: PATIENT });
  const phones = phonesAt(shared.messenger);
  const name = `grid_${n}`;
  const address = addressOf(n);
  const visit = await connectThroughForm(shared.server, crm.origin, SANDBOX_KEY, address);
  const bot = await phones.newBot(`${name}_bot`, name);
  await addBot(visit, { name: bot.username, token: bot.token, updates: polls ? "polling" : "webhook" });
  const channel = /data-channel="([\w-]+)"/.exec(await visit.look())?.[1] ?? "";
  const { id: person } = await phones.newPerson({ firstName: name, language: "en" });
  const { server, telegram, ledger } = shared;
  const known = { server, address, crm, telegram, phones, visit, channel, bot, person, polls, ledger };
  const station = { ...known, inbound: [], outbound: [] };
  say(station, "hello");
  await settled(station, () => inbox(station).length > 0);
  return station;
}

/** Submits the account's form again, like someone changing the key. */
export async function connectAgain(station: Station): Promise<void> {
  station.visit = await connectThroughForm(station.server, station.crm.origin, SANDBOX_KEY, station.address);
}

/** Creates a bot that the account does not have yet. */
export async function makeOther(station: Station, tag: string): Promise<number> {
  station.other = await station.phones.newBot(`${tag}_bot`, tag);
  return station.other.id;
}

export async function addOther({ visit, other }: Station): Promise<void> {
  await addBot(visit, { name: other?.name ?? "", token: other?.token ?? "", updates: "webhook" });
}

export function sayToOther({ telegram, person, other }: Station, text: string): void {
  telegram.phone.send(person, other?.id ?? 0, { text });
}

/** The customer writes; returns the message's id at the messenger. */
export function say(station: Station, text: string): number {
  station.inbound.push(text);
  return station.telegram.phone.send(station.person, station.bot.id, { text })[0] ?? 0;
}

export const PICTURE = paintPng(8, 8, [20, 90, 120]);
export const DOCUMENT = new TextEncoder().encode("A document of some bytes. ".repeat(40));

/** The customer sends a file with a caption. */
export function sendFile({ telegram, person, bot }: Station, kind: MediaKind, caption: string): void {
  const [name, mediaType, bytes] = kind === "photo" ? PHOTO : PAPER;
  const { key } = telegram.world.files.add({ name, mediaType, bytes });
  telegram.phone.send(person, bot.id, { text: caption, media: [{ kind, file: key }] });
}
const PHOTO = ["photo.png", "image/png", PICTURE] as const;
const PAPER = ["paper.txt", "text/plain", DOCUMENT] as const;

/** The chat as the customer sees it. */
export const chatOf = ({ telegram, person, bot }: Station): PhoneMessage[] =>
  telegram.phone.chats(person).find(({ id }) => id === bot.id)?.messages ?? [];

/** The customer's messages at the gateway. */
export const inbox = ({ crm }: Station): Message[] =>
  crm.sandbox.world.messages.filter(({ from }) => from.type === "customer");

export const wordsOf = ({ text, note }: Message): string => text || note;

const gatewayChat = ({ crm, person }: Station) =>
  [...crm.sandbox.world.chats.values()].find(({ externalId }) => externalId === String(person));

/** Makes an agent's call. Throws with the sandbox's error. */
async function act<T>({ crm }: Station, method: string, path: string, body: object): Promise<T> {
  const isForm = body instanceof FormData;
  const token = [...crm.sandbox.world.users.values()][0]?.token ?? "";
  const headers = { "x-bot-token": token, ...(!isForm && { "content-type": "application/json" }) };
  const init = { method, headers, body: isForm ? body : JSON.stringify(body) };
  const answer = await crm.sandbox.fetch(new Request(crm.origin + path, init), {});
  if (!answer.ok) throw new Error(`the agent was refused: ${method} ${path}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

const API = "/api/bot/v1";

/** An agent writes; returns the message's id at the gateway. */
export async function reply(station: Station, text: string): Promise<number> {
  station.outbound.push(text);
  return post(station, { type: "text", content: text });
}

export async function replyFiles(
  station: Station,
  kind: "image" | "file",
  caption: string,
  count = 1,
): Promise<number> {
  const [name, mediaType, bytes] = kind === "image" ? PHOTO : PAPER;
  const items: { id: string }[] = [];
  for (let n = 0; n < count; n++) {
    const form = new FormData();
    form.set("file", new File([new Uint8Array(bytes)], name, { type: mediaType }));
    const { id } = await act<{ id: string }>(station, "POST", `${API}/files/upload`, form);
    items.push({ id });
  }
  return post(station, { type: kind, note: caption, items });
}

async function post(station: Station, message: object): Promise<number> {
  const body = { chat_id: gatewayChat(station)?.id, scope: "public", ...message };
  return (await act<{ message_id: number }>(station, "POST", `${API}/messages`, body)).message_id;
}

export const change = (station: Station, id: number, text: string): Promise<unknown> =>
  act(station, "PATCH", `${API}/messages/${id}`, { content: text });

export const withdraw = (station: Station, id: number): Promise<unknown> =>
  act(station, "DELETE", `${API}/messages/${id}`, {});

export const react = (station: Station, id: number, reaction: string): Promise<unknown> =>
  act(station, "PUT", `/sandbox/agent/messages/${id}/reaction`, { reaction });

const TRIES = 4;
const PAUSE_MS = 500;

/** Retries: a kept-alive connection may close just as it is reused. */
export async function withRetries<T>(act: () => Promise<T>): Promise<T> {
  for (let n = 1; ; n++)
    try {
      return await act();
    } catch (error) {
      if (n === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
}

/** Waits until `holds` and nothing is under way. Throws if that takes too long. */
export const settled = (station: Station, holds: () => boolean): Promise<void> =>
  waitFor(() => holds() && isQuiet(station));

/** Throws if it does not hold in time. */
export async function waitFor(holds: () => boolean): Promise<void> {
  if (!(await becomes(holds))) throw new Error("a step before the fault did not finish");
}

/** Nothing is under way, as far as both sides can see. */
export const isQuiet = ({ crm, telegram, bot, ledger, channel }: Station): boolean =>
  ledger.jobs(channel) === 0 &&
  (telegram.world.bots.get(bot.id)?.queue.entries.length ?? 0) === 0 &&
  crm.sandbox.world.messages.every(({ from, status }) => from.type !== "user" || status !== "sending");
