import type { Message, WhatsApp, WhatsAppMessage } from "gangway-sandbox";
import type { Hearsay } from "./hearsay.ts";
import { isUnknown } from "./judge.ts";
import type { CrowdAccount, Outcomes } from "./scene.ts";

interface Network {
  whatsapp: WhatsApp;
  heard: Hearsay;
  /** Code of every failure. */
  failure: number;
}

/** Statuses wait no longer than this for others of their batch and for the server's answer, ms. */
const UNDER_WAY_MS = 250;

/** Compares what became of each agent's message at the messenger with what its agent reads. */
export function outcomesOf(accounts: CrowdAccount[], { whatsapp, heard, failure }: Network): Outcomes {
  const { core, world } = whatsapp.network;
  const sums: Outcomes = {
    failures: 0,
    untold: 0,
    invented: 0,
    unacked: 0,
    unseen: 0,
    settledDuplicates: 0,
    pending: 0,
  };
  const sent = [...world.messages.values()].filter(({ message }) => message.from === "business");
  const named = new Map<string, WhatsAppMessage[]>();
  for (const { chat, message } of sent) {
    const name = `${chat.customer.userId} ${textOf(message)}`;
    named.set(name, [...(named.get(name) ?? []), message]);
  }
  const copies = sent.map(({ message }) => message);
  sums.pending = copies.filter(({ status }) => status === "accepted").length + core.courier.waiting();
  sums.settledDuplicates = settledDuplicates(copies, heard);
  for (const { crm } of accounts) {
    const { chats, messages } = crm.sandbox.world;
    for (const message of messages.filter(({ from }) => from.type === "user")) {
      const found = named.get(`${chats.get(message.chatId)?.externalId} ${message.text}`) ?? [];
      judge(sums, message, { found, failure });
    }
  }
  return sums;
}

function judge(sums: Outcomes, message: Message, { found, failure }: { found: WhatsAppMessage[]; failure: number }) {
  const { acked, status, error } = message;
  const failed = found.filter((copy) => copy.status === "failed").length;
  const isTold = status === "failed" && error?.message?.includes(String(failure)) === true;
  if (failed > 0 && failed === found.length) {
    sums.failures += 1;
    if (!isTold) sums.untold += 1;
  }
  if (failed === 0 && status === "failed" && !isUnknown(message)) sums.invented += 1;
  if (!acked) sums.unacked += 1;
  if (status !== "seen" && found.some((copy) => copy.status === "read")) sums.unseen += 1;
}

/** By the key of their call, which a repetition keeps. */
function settledDuplicates(sent: WhatsAppMessage[], heard: Hearsay): number {
  const seen = new Set<string>();
  let count = 0;
  for (const { callback = "", at } of sent) {
    const told = heard.toldAt(callback);
    if (seen.has(callback) && told !== undefined && told + UNDER_WAY_MS < at) count += 1;
    seen.add(callback);
  }
  return count;
}

export const textOf = ({ content }: Pick<WhatsAppMessage, "content">): string =>
  (content.text as { body?: string } | undefined)?.body ?? "";
