import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "gangway-sandbox";
import { firsts, isUnknown } from "../torture/judge.ts";
import { FAILURE } from "../torture/numbers.ts";
import { type Customer, PHOTO, type Said } from "./customers.ts";
import type { Machine } from "./machine.ts";
import type { Arrival } from "./network.ts";
import { type Account, type Chat, heard, messagesOf, missingIn, nameOf, type People } from "./people.ts";

/** A broken promise, in words. */
export type Finding = string;

/** Requests a second that the gateway allows a token. */
const PER_SECOND = 30;
const SECOND_MS = 1_000;
const NOTHING = new Uint8Array();

const OWN_CODE = /something went wrong in the server/;
/** Reasons for which a message to a customer may fail in this world: always, and after some faults. */
const REASONS = /^(The module is switched off|The channel is paused|The message could not be delivered in time)/;
const CAUSES: [fault: RegExp, reason: RegExp][] = [
  [/^merchant .*: new credentials/, /^(The channel is stopped|Telegram (no longer accepts|does not recognise) this)/],
  [/^merchant .*: (remove|disconnect)/, /^(This account has no such channel|The channel was removed)/],
  // Until the customer writes again.
  [
    /^merchant .*: (erase|remove|disconnect)/,
    /^(Nobody has written in this chat|The customer has not written in this chat yet|The first message in a chat must be a template)/,
  ],
  // The server's own code fails then.
  [/^trouble \d+: (full|busy) /, OWN_CODE],
];

interface Seen {
  machine: Machine;
  /**
   * Calls to the messenger, and posts and edits to gateways, that may have been carried out without the server knowing.
   */
  doubtful: { sends: number; posts: number; edits: number };
  /** Acks that arrived late, or may have arrived without the server knowing. */
  acks: number;
  /** The faults that happened. */
  struck: string[];
  arrivals: Arrival[];
  /** Findings of the sandboxes' contracts. */
  faults: string[];
  /** Secrets that must not be in a log. */
  secrets: string[];
}

/** Judges by what the customers' messenger, the agents and the gateway have seen. */
export async function judge(
  people: People,
  { machine, doubtful, acks, struck, arrivals, faults, secrets }: Seen,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const causes = CAUSES.filter(([fault]) => struck.some((each) => fault.test(each)));
  const reasons = [REASONS, ...causes.map(([, reason]) => reason)];
  let [doubles, photos, stale, untold] = [0, 0, 0, 0];
  for (const [n, account] of people.accounts.entries())
    for (const [c, chat] of account.chats.entries()) {
      const say = (words: string) => findings.push(`account ${n}, chat ${c}: ${words}`);
      stale += judgeInbox(account, chat, say);
      photos += judgePhotos(account, chat, say);
      untold += untoldIn(account, chat);
      doubles += judgeChat(account, chat, reasons, say);
    }
  const { sends, posts, edits } = doubtful;
  if (doubles > sends) findings.push(`${doubles} messages came twice to a customer, after ${sends} doubtful calls`);
  // Of two attempts, one with and one without the photo, it is unknown which the gateway has got.
  if (photos > posts) findings.push(`${photos} photos came twice to a gateway, after ${posts} doubtful posts`);
  // A photo that nobody waits for any more may arrive after the next message.
  if (stale > edits) findings.push(`${stale} edits were undone by earlier ones, after ${edits} doubtful edits`);
  if (untold > acks) findings.push(`${untold} failures were overtaken by older acks, of which ${acks} came late`);
  findings.push(...faults.map((fault) => `against the contract: ${fault}`));
  findings.push(...rates(arrivals), ...(await ledger(people, machine)), ...leaks(machine, secrets));
  return findings;
}

/** Names of messages that may be missing at the other side, and whose arrival is not checked. */
const excusedIn = ({ inbound, outbound }: Chat) =>
  new Set([...inbound, ...outbound].filter(({ isExcused }) => isExcused).map(({ name }) => name));

/** Returns how many messages have an earlier text than they should. */
function judgeInbox(account: Account, chat: Chat, say: (words: string) => void): number {
  let stale = 0;
  const excused = excusedIn(chat);
  const all = heard(account, chat).filter(({ name }) => !excused.has(name));
  const names = all.map(({ name }) => name);
  const missing = missingIn(account, chat);
  if (missing.length > 0) say(`the gateway lacks ${missing.join(", ")}`);
  const once = firsts(names);
  if (names.length > once.length) say(`the gateway has ${names.length - once.length} messages twice`);
  if (!inOrder(once, chat.inbound, chat.customer.precedes)) say(`out of order at the gateway: ${once.join(", ")}`);
  const of = (name: string | undefined) => all.find((each) => each.name === name);
  const said = (name: string | undefined) => chat.inbound.find((each) => each.name === name) as Said;
  const hadBefore = (one: string | undefined, other: string) => chat.customer.precedes(said(one), said(other));
  for (const { name, text, answers } of chat.inbound) {
    const { line = "", message } = of(name) ?? {};
    if (!message) continue;
    if (line !== text && text.startsWith(line)) stale += 1;
    else if (line !== text) say(`the gateway has "${line}" of "${text}"`);
    const quoted = of(answers)?.message;
    if (quoted && hadBefore(answers, name) && message.quoteId !== quoted.id)
      say(`the gateway does not know that ${name} answers ${answers}`);
  }
  return stale;
}

/** Returns how many photos the gateway has twice. A late photo is first a line, then a message that quotes its own. */
function judgePhotos(account: Account, chat: Chat, say: (words: string) => void): number {
  const excused = excusedIn(chat);
  const all = heard(account, chat).filter(({ name }) => !excused.has(name));
  const own = new Set(all.map(({ message }) => message));
  const late = messagesOf(account, chat, "customer").filter((message) => !own.has(message));
  const photosIn = (message: Message) =>
    [message, ...late.filter(({ quoteId }) => quoteId === message.id)].flatMap(({ items }) => items);
  const photosOf = (message: Message) => photosIn(message).length;
  const isBroken = ({ id }: Message["items"][number]) =>
    Buffer.compare(PHOTO, account.crm.world.files.get(id)?.bytes ?? NOTHING) !== 0;
  const counts = [...own].map((message) => {
    const names = all.filter((each) => each.message === message).map(({ name }) => name);
    const wanted = chat.inbound.filter(({ name, hasPhoto }) => hasPhoto && names.includes(name)).length;
    if (photosOf(message) < wanted) say(`the gateway has ${photosOf(message)} photos of ${names.join(", ")}`);
    if (photosIn(message).some(isBroken)) say(`the gateway has a broken photo of ${names.join(", ")}`);
    return Math.max(0, photosOf(message) - wanted);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** How many messages the messenger has failed without the agent's knowledge: an earlier ack may come later. */
function untoldIn(account: Account, chat: Chat): number {
  const shown = chat.customer.shown().map(({ text }) => nameOf(text));
  const excused = excusedIn(chat);
  const failed = chat.customer.failed().map(nameOf);
  const isUntold = ({ text, status }: Message) =>
    status !== "failed" &&
    failed.includes(nameOf(text)) &&
    !shown.includes(nameOf(text)) &&
    !excused.has(nameOf(text) ?? "");
  return messagesOf(account, chat, "user").filter(isUntold).length;
}

/** Returns how many messages the customer has twice. */
function judgeChat(account: Account, chat: Chat, reasons: RegExp[], say: (words: string) => void): number {
  const shown = chat.customer.shown();
  const names = shown.flatMap(({ text }) => nameOf(text) ?? []);
  const once = firsts(names);
  const messages = messagesOf(account, chat, "user");
  const failed = chat.customer.failed().map(nameOf);
  const excused = excusedIn(chat);
  for (const message of messages) {
    const { text, status, error } = message;
    const name = nameOf(text) ?? "";
    const what = `${text} (${status}${error ? `, ${error.code}: ${error.message ?? ""}` : ""})`;
    const hasFailed = status === "failed";
    if (status === "sending" || status === "sent") say(`nobody knows what has become of ${what}`);
    const isLate = failed.includes(name);
    if (hasFailed && !excused.has(name) && !hasReason(message, reasons, isLate)) say(`no reason is known for ${what}`);
    // It is unknown whether the server had it before its channel or its customer was gone.
    if (error?.code === "async_send_timeout" && !once.includes(name) && !excused.has(name))
      say(`accepted, and forgotten: ${what}`);
    if (!hasFailed && !once.includes(name) && !failed.includes(name)) say(`the customer lacks ${what}`);
    if (
      !hasFailed &&
      status !== "seen" &&
      !excused.has(name) &&
      shown.some((each) => each.isRead && nameOf(each.text) === name)
    )
      say(`the agent does not know that the customer has read ${what}`);
    // Of a message sent twice, the other may have failed.
    if (hasFailed && !isUnknown(message) && !isGateways(message) && once.includes(name) && !failed.includes(name))
      say(`untrue: the customer has ${what}`);
  }
  for (const { name, text, answers } of chat.outbound)
    for (const seen of shown.filter((each) => nameOf(each.text) === name)) {
      if (!text.startsWith(seen.text)) say(`the customer has "${seen.text}" of "${text}"`);
      if (answers && !excused.has(answers) && chat.inbound.find((said) => said.name === answers)?.id !== seen.answers)
        say(`the customer does not know that ${name} answers ${answers}`);
    }
  // A message of unknown outcome may arrive at any time.
  const known = once.filter(
    (name) => !messages.some(({ text, status }) => nameOf(text) === name && status === "failed"),
  );
  if (!inOrder(known, chat.outbound)) say(`out of order at the customer: ${known.join(", ")}`);
  return names.length - once.length;
}

/** `isLate`: the messenger failed it after accepting it. */
const hasReason = (message: Message, reasons: RegExp[], isLate: boolean): boolean => {
  const said = message.error?.message ?? "";
  const isOurs = reasons.some((reason) => reason.test(said)) || (isUnknown(message) && !OWN_CODE.test(said));
  return isOurs || isGateways(message) || (isLate && said.includes(String(FAILURE)));
};

/** The gateway gave up by itself, not knowing what the server has done. */
const isGateways = ({ error }: Message) => error?.code === "network_error" || error?.code === "async_send_timeout";

/** `precedes`: whether the one had to come before the other, which was written later. */
function inOrder(seen: string[], written: Said[], precedes: Customer["precedes"] = () => true): boolean {
  const said = seen.map((name) => written.findIndex((each) => each.name === name));
  const isAhead = (late: number, early: number) =>
    early < late && precedes(written[early] as Said, written[late] as Said);
  return !said.includes(-1) && said.every((late, n) => !said.slice(n + 1).some((early) => isAhead(late, early)));
}

/** At most 30 requests of a token in any second. */
function rates(arrivals: Arrival[]): Finding[] {
  const times = new Map<string, number[]>();
  for (const { headers, at, isOutsideRate } of arrivals) {
    const token = isOutsideRate ? null : headers.get("x-transport-token");
    const known = token === null ? undefined : times.get(token);
    if (known) known.push(at);
    else if (token) times.set(token, [at]);
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

interface LedgerRow {
  accepted: number;
  waiting: number;
  hole: number;
  acks: { waiting: number; hole: number };
}

async function ledgerOf(machine: Machine): Promise<LedgerRow[]> {
  return ((await (await machine.metrics("/ledger")).json()) as { lines: LedgerRow[] }).lines;
}

const isOpen = ({ waiting, hole, acks }: LedgerRow) =>
  waiting !== 0 || hole !== 0 || acks.waiting !== 0 || acks.hole !== 0;

/** Whether nothing waits any more. */
export const isClosed = async (machine: Machine): Promise<boolean> => !(await ledgerOf(machine)).some(isOpen);

async function ledger({ accounts }: People, machine: Machine): Promise<Finding[]> {
  const rows = await ledgerOf(machine);
  const accepted = rows.reduce((sum, row) => sum + row.accepted, 0);
  const written = accounts
    .flatMap(({ chats }) => chats)
    .flatMap(({ inbound }) => inbound)
    .filter((said) => !said.isExcused).length;
  return [
    ...rows.filter(isOpen).map((row) => `the ledger does not close: ${JSON.stringify(row)}`),
    ...(accepted < written ? [`the ledger has ${accepted} events, of ${written} that customers wrote`] : []),
  ];
}

/** Names of erased messages that are still in the server's files. */
export function comeBack(folder: string, erased: string[]): Finding[] {
  if (erased.length === 0) return [];
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
  const texts = files.map((path) => readFileSync(path, "latin1"));
  return erased
    .filter((name) => texts.some((text) => new RegExp(`${name}\\b`).test(text)))
    .map((name) => `erased, and still in the server's files: ${name}`);
}

function leaks({ lines }: Machine, secrets: string[]): Finding[] {
  return lines
    .filter((line) => secrets.some((secret) => line.includes(secret)))
    .map((line) => `a secret in the log: ${line}`);
}
