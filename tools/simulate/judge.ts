import type { Message } from "gangway-sandbox";
import { isUnknown } from "../torture/judge.ts";
import type { Machine } from "./machine.ts";
import type { Arrival } from "./network.ts";
import type { Account, Chat, People } from "./people.ts";

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

function judgeInbox({ crm }: Account, chat: Chat, say: (words: string) => void): void {
  const { world } = crm;
  const known = [...world.chats.values()].find(({ externalId }) => externalId === String(chat.person));
  const texts = world.messages
    .filter(({ chatId, from }) => chatId === known?.id && from.type === "customer")
    .map(({ text }) => text);
  const missing = chat.inbound.filter((text) => !texts.includes(text));
  if (missing.length > 0) say(`the gateway lacks ${missing.join(", ")}`);
  const once = firsts(texts);
  if (texts.length > once.length) say(`the gateway has ${texts.length - once.length} messages twice`);
  if (!inOrder(once, chat.inbound)) say(`out of order at the gateway: ${once.join(", ")}`);
}

/** Returns how many messages the customer has twice. */
function judgeChat({ crm }: Account, chat: Chat, say: (words: string) => void): number {
  const { world } = crm;
  const known = [...world.chats.values()].find(({ externalId }) => externalId === String(chat.person));
  const said = world.messages.filter(({ chatId, from }) => chatId === known?.id && from.type === "user");
  const shown = chat.shown();
  const once = firsts(shown);
  for (const message of said) {
    const { text, status } = message;
    const what = `${text} (${status}${message.error ? `, ${message.error.code}: ${message.error.message ?? ""}` : ""})`;
    if (status === "sending" || status === "sent") say(`nobody knows what has become of ${what}`);
    if (status === "failed" && !message.error?.message && !isGateways(message)) say(`no reason is given for ${what}`);
    if (status !== "failed" && !once.includes(text)) say(`the customer lacks ${what}`);
    if (status === "failed" && !isUnknown(message) && !isGateways(message) && once.includes(text))
      say(`untrue: the customer has ${what}`);
  }
  if (!inOrder(once, chat.outbound)) say(`out of order at the customer: ${once.join(", ")}`);
  return shown.length - once.length;
}

/** The gateway gave up by itself, not knowing what the server has done. */
const isGateways = ({ error }: Message) => error?.code === "network_error" || error?.code === "async_send_timeout";

function inOrder(seen: string[], written: string[]): boolean {
  const places = seen.map((text) => written.indexOf(text));
  return places.every((place, n) => n === 0 || place > (places[n - 1] ?? -1));
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
