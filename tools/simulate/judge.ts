import type { Message } from "gangway-sandbox";
import { isUnknown } from "../torture/judge.ts";
import type { Machine } from "./machine.ts";
import type { Arrival } from "./network.ts";
import { type Account, type Chat, nameOf, type People, type Said, textOf } from "./people.ts";

/** A promise that was not kept, in words. */
export type Finding = string;

/** Requests a second that the gateway allows a token. */
const PER_SECOND = 30;
const SECOND_MS = 1_000;

/** Judges what those have seen who never die: customers, agents and the gateway. */
export async function judge(
  people: People,
  {
    machine,
    doubtful,
    arrivals,
    secrets,
  }: { machine: Machine; doubtful: number; arrivals: Arrival[]; secrets: string[] },
): Promise<Finding[]> {
  const findings: Finding[] = [];
  let doubles = 0;
  for (const [n, account] of people.accounts.entries())
    for (const [c, chat] of account.chats.entries()) {
      const say = (words: string) => findings.push(`account ${n}, chat ${c}: ${words}`);
      judgeInbox(account, chat, say);
      doubles += judgeChat(account, chat, say);
    }
  if (doubles > doubtful + machine.deaths)
    findings.push(
      `${doubles} messages came twice to a customer, after ${doubtful} doubtful calls and ${machine.deaths} deaths`,
    );
  findings.push(...rates(arrivals), ...contract(people), ...(await ledger(machine)), ...leaks(machine, secrets));
  return findings;
}

const firsts = (texts: string[]) => [...new Set(texts)];

function judgeInbox(account: Account, chat: Chat, say: (words: string) => void): void {
  const heard = messagesOf(account, chat, "customer");
  const named = heard.flatMap((message) => {
    const name = nameOf(textOf(message));
    return name ? [{ name, message }] : [];
  });
  const names = named.map(({ name }) => name);
  const missing = chat.inbound.filter(({ name }) => !names.includes(name)).map(({ name }) => name);
  if (missing.length > 0) say(`the gateway lacks ${missing.join(", ")}`);
  const once = firsts(names);
  if (names.length > once.length) say(`the gateway has ${names.length - once.length} messages twice`);
  if (!inOrder(once, chat.inbound)) say(`out of order at the gateway: ${once.join(", ")}`);
  for (const { name, text, hasPhoto } of chat.inbound) {
    const message = named.find((each) => each.name === name)?.message;
    if (!message) continue;
    const heardText = textOf(message);
    // A photo that comes late is a line, and then a message of its own, which quotes the one that it belongs to.
    const isRight = heardText === text || (hasPhoto && heardText.startsWith(`${text}\n[`));
    if (!isRight) say(`the gateway has "${heardText}" of "${text}"`);
    const carriers = [message, ...heard.filter(({ quoteId }) => quoteId === message.id)];
    if (hasPhoto && !carriers.some(({ items }) => items.length > 0)) say(`the gateway lacks the photo of ${name}`);
  }
}

function messagesOf({ crm: { world } }: Account, { person }: Chat, from: "customer" | "user"): Message[] {
  const known = [...world.chats.values()].find(({ externalId }) => externalId === String(person));
  return world.messages.filter((message) => message.chatId === known?.id && message.from.type === from);
}

/** Returns how many messages the customer has twice. */
function judgeChat(account: Account, chat: Chat, say: (words: string) => void): number {
  const shown = chat.shown();
  const names = shown.flatMap((text) => nameOf(text) ?? []);
  const once = firsts(names);
  for (const message of messagesOf(account, chat, "user")) {
    const { text, status, error } = message;
    const name = nameOf(text) ?? "";
    const what = `${text} (${status}${error ? `, ${error.code}: ${error.message ?? ""}` : ""})`;
    const hasFailed = status === "failed";
    if (status === "sending" || status === "sent") say(`nobody knows what has become of ${what}`);
    if (hasFailed && !error?.message && !isGateways(message)) say(`no reason is given for ${what}`);
    if (!hasFailed && !once.includes(name)) say(`the customer lacks ${what}`);
    if (hasFailed && !isUnknown(message) && !isGateways(message) && once.includes(name))
      say(`untrue: the customer has ${what}`);
  }
  for (const { name, text } of chat.outbound)
    for (const seen of shown.filter((each) => nameOf(each) === name))
      if (!text.startsWith(seen)) say(`the customer has "${seen}" of "${text}"`);
  if (!inOrder(once, chat.outbound)) say(`out of order at the customer: ${once.join(", ")}`);
  return names.length - once.length;
}

/** The gateway gave up by itself, not knowing what the server has done. */
const isGateways = ({ error }: Message) => error?.code === "network_error" || error?.code === "async_send_timeout";

function inOrder(seen: string[], written: Said[]): boolean {
  const indexes = seen.map((name) => written.findIndex((said) => said.name === name));
  return indexes.every((index, n) => n === 0 || index > (indexes[n - 1] ?? -1));
}

/** At most 30 requests of a token in any second. */
function rates(arrivals: Arrival[]): Finding[] {
  const times = new Map<string, number[]>();
  for (const { headers, at } of arrivals) {
    const token = headers.get("x-transport-token");
    if (token) times.set(token, [...(times.get(token) ?? []), at]);
  }
  const worst = (ats: number[]) => {
    let [most, first] = [0, 0];
    for (const [n, at] of ats.entries()) {
      while (at - (ats[first] ?? at) >= SECOND_MS) first += 1;
      most = Math.max(most, n - first + 1);
    }
    return most;
  };
  return [...times.values()]
    .map(worst)
    .filter((most) => most > PER_SECOND)
    .map((most) => `${most} requests of a token within a second`);
}

function contract({ accounts }: People): Finding[] {
  return accounts.flatMap(({ crm }) =>
    crm.calls
      .entries(true)
      .map(({ method, path, faults }) => `against the contract: ${method} ${path}: ${faults.join("; ")}`),
  );
}

interface Line {
  accepted: number;
  waiting: number;
  hole: number;
  acks: { waiting: number; hole: number };
}

async function ledger(machine: Machine): Promise<Finding[]> {
  const { lines } = (await (await machine.metrics("/ledger")).json()) as { lines: Line[] };
  const isOpen = ({ waiting, hole, acks }: Line) =>
    waiting !== 0 || hole !== 0 || acks.waiting !== 0 || acks.hole !== 0;
  return lines.filter(isOpen).map((line) => `the ledger does not close: ${JSON.stringify(line)}`);
}

function leaks({ lines }: Machine, secrets: string[]): Finding[] {
  return lines
    .filter((line) => secrets.some((secret) => line.includes(secret)))
    .map((line) => `a secret in the log: ${line}`);
}
