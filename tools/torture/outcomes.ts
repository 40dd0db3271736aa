import type { Message, WhatsApp, WhatsAppMessage } from "gangway-sandbox";
import type { Hearsay } from "./hearsay.ts";
import { isUnknown } from "./judge.ts";
import type { Copy, CrowdAccount, Outcomes } from "./scene.ts";

interface Network {
  whatsapp: WhatsApp;
  heard: Hearsay;
  /** Code of every failure. */
  failure: number;
}

/** Statuses wait no longer than this for others of their batch and for the server's answer, ms. */
const UNDER_WAY_MS = 250;

/** The server waits a minute for a status, from before a call that may last this long on a slow machine, ms. */
const STATUS_MS = 60_000 - 15_000;

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
    soonDuplicates: 0,
    copies: [],
    pending: 0,
  };
  const sent = [...world.messages.values()].filter(({ message }) => message.from === "business");
  const named = new Map<string, WhatsAppMessage[]>();
  for (const { chat, message } of sent) {
    const name = `${chat.customer.userId} ${textOf(message)}`;
    named.set(name, [...(named.get(name) ?? []), message]);
  }
  sums.pending = sent.filter(({ message }) => message.status === "accepted").length + core.courier.waiting();
  sums.copies = [...named.values()].flatMap((copies) => copiesOf(copies, heard));
  const isSettled = ({ toldMs, afterMs }: Copy) => toldMs !== undefined && toldMs + UNDER_WAY_MS < afterMs;
  const unsettled = sums.copies.filter((copy) => !isSettled(copy));
  sums.settledDuplicates = sums.copies.length - unsettled.length;
  sums.soonDuplicates = unsettled.filter(({ afterMs, hasKey }) => !hasKey || afterMs < STATUS_MS).length;
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

/** All but the first. */
function copiesOf([first, ...more]: WhatsAppMessage[], heard: Hearsay): Copy[] {
  if (!first) return [];
  const told = heard.toldAt(first.callback ?? "");
  return more.map(({ callback, at }) => ({
    hasKey: callback === first.callback,
    afterMs: at - first.at,
    ...(told !== undefined && { toldMs: told - first.at }),
  }));
}

export const textOf = ({ content }: Pick<WhatsAppMessage, "content">): string =>
  (content.text as { body?: string } | undefined)?.body ?? "";
