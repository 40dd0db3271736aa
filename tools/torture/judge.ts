import type { Message } from "gangway-sandbox";
import type { CrowdAccount, CrowdChat, Scene } from "./scene.ts";

/** A crowd's messages as the two sandboxes, which never die, have seen them. */
export interface Verdict {
  /** Neither delivered nor reported as failed. */
  lost: number;
  /** Wrongly reported as failed. */
  failed: number;
  /** Reported as of unknown outcome: the server died twice during their calls. */
  unknown: number;
  disordered: number;
  /** Extra copies at the gateway and in the messenger's chats. */
  gatewayDuplicates: number;
  duplicates: number;
  held: number;
  /** Messages that the account pages list as not delivered. */
  dead: number;
  /** Calls that the gateway refused with 429. */
  tooMany: number;
  /** How long each message was on its way to the other side, ms. Telegram's times of writing are whole seconds. */
  ways: { written: number; ms: number; what: string }[];
  notes: string[];
}

export async function judge(scene: Scene): Promise<Verdict> {
  const verdict: Verdict = {
    ...{ lost: 0, failed: 0, unknown: 0, disordered: 0, gatewayDuplicates: 0, duplicates: 0, held: 0, dead: 0 },
    ...{ tooMany: 0, ways: [], notes: [] },
  };
  for (const account of scene.crowd) {
    const page = await account.visit.lookAtFailed();
    verdict.held += countOn(page, "Waiting for you");
    verdict.dead += countOn(page, "Not delivered");
    verdict.tooMany += account.crm.sandbox.calls.answered("gateway", 429);
    for (const chat of account.chats) {
      judgeInbox(verdict, account, chat);
      await judgeChat(verdict, account, chat);
    }
  }
  return verdict;
}

export const chatOf = ({ crm }: CrowdAccount, { customer }: CrowdChat) =>
  [...crm.sandbox.world.chats.values()].find(({ externalId }) => externalId === customer.chat);

/** The agent's error text after a second doubtful answer. */
const UNKNOWN = /^It is not known whether this message has reached the customer/;
export const isUnknown = ({ status, error }: Message): boolean =>
  status === "failed" && UNKNOWN.test(error?.message ?? "");

export const firsts = (texts: string[]) => [...new Set(texts)];

function judgeInbox(verdict: Verdict, account: CrowdAccount, chat: CrowdChat): void {
  const id = chatOf(account, chat)?.id;
  const { messages } = account.crm.sandbox.world;
  const heard = messages.filter(({ chatId, from }) => chatId === id && from.type === "customer");
  for (const { createdAt, time, text } of heard)
    verdict.ways.push({ written: time, ms: createdAt - time, what: `${text} of chat ${chat.customer.chat}` });
  const texts = heard.map(({ text }) => text ?? "");
  const once = firsts(texts);
  verdict.gatewayDuplicates += texts.length - once.length;
  const missing = chat.inbound.filter((text) => !once.includes(text));
  verdict.lost += missing.length;
  if (missing.length > 0) verdict.notes.push(`chat ${chat.customer.chat}: the gateway lacks ${missing}`);
  const { precedes = byWriting(chat.inbound) } = chat.customer;
  if (!inOrder(once, precedes)) {
    verdict.disordered += 1;
    verdict.notes.push(`chat ${chat.customer.chat}: out of order at the gateway: ${once}`);
  }
}

/** The chat must show every message in order, or the agent must know of its failure. */
async function judgeChat(verdict: Verdict, account: CrowdAccount, chat: CrowdChat): Promise<void> {
  const id = chatOf(account, chat)?.id;
  const { messages } = account.crm.sandbox.world;
  const failed = messages.filter((m) => m.chatId === id && m.status === "failed");
  verdict.unknown += failed.filter(isUnknown).length;
  const reported = failed.map(({ text }) => text ?? "");
  const shown = await chat.customer.shown();
  const said = new Map(messages.filter((m) => m.chatId === id).map(({ text, createdAt }) => [text, createdAt]));
  for (const { text, at } of shown) {
    const written = said.get(text) ?? at;
    verdict.ways.push({ written, ms: at - written, what: `${text} of chat ${chat.customer.chat}` });
  }
  const texts = shown.map(({ text }) => text);
  const once = firsts(texts);
  verdict.duplicates += texts.length - once.length;
  const missing = chat.outbound.filter((text) => !once.includes(text));
  verdict.lost += missing.filter((text) => !reported.includes(text)).length;
  verdict.failed += failed.filter((m) => !isUnknown(m) && missing.includes(m.text ?? "")).length;
  if (missing.length > 0) verdict.notes.push(`chat ${chat.customer.chat}: missing from the chat: ${missing}`);
  if (!inOrder(once, byWriting(chat.outbound))) {
    verdict.disordered += 1;
    verdict.notes.push(`chat ${chat.customer.chat}: out of order in the chat: ${once}`);
  }
}

type Precedes = (one: string, other: string) => boolean;
const byWriting =
  (said: string[]): Precedes =>
  (one, other) =>
    said.indexOf(one) < said.indexOf(other);

const inOrder = (seen: string[], precedes: Precedes): boolean =>
  seen.every((text, n) => seen.slice(n + 1).every((later) => !precedes(later, text)));

/** A count of the page of undelivered messages; NaN where the page has none. */
export const countOn = (page: string, words: string): number =>
  Number(new RegExp(`>${words}: ([\\d,]+)<`).exec(page)?.[1]?.replaceAll(",", "") ?? Number.NaN);
