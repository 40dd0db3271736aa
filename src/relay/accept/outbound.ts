import { type Account, works } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import type { ErrorCode } from "../../domain/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { OutboundAct } from "../../domain/message.ts";
import { planMessage } from "../../domain/plan.ts";
import { readAct } from "../../gateway/markup.ts";
import { type ParsedWebhook, parseWebhook } from "../../gateway/webhook.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";
import type { Sessions } from "../sessions/sessions.ts";

/** What the gateway is answered; the body is one of the contract's webhook answers. */
export interface WebhookAnswer {
  status: 200 | 400 | 403 | 404 | 422;
  body: { async: true } | Record<string, never> | { error: { code: ErrorCode; message: string } };
}

/** Stores what an agent did; resolves once it is on the disk. The account is already proven. */
export type AcceptOutbound = (account: Account, raw: string) => Promise<WebhookAnswer>;

interface Parts {
  store: Pick<Store, "outbox" | "channels" | "messages">;
  sessions: Sessions;
  patienceMs: number;
  /** Whether the requests that bring something new are kept. */
  keepRaw: boolean;
  wake(accountId: AccountId): void;
  log: Log;
}

const refuse = (status: 400 | 403 | 404 | 422, code: ErrorCode, message: string): WebhookAnswer => ({
  status,
  body: { error: { code, message } },
});

export function outboundDoor(parts: Parts): AcceptOutbound {
  const toldTypes = new Set<string>();
  const tellOnce = (type: string) => {
    if (toldTypes.has(type) || toldTypes.size > 100) return;
    toldTypes.add(type);
    parts.log.warn("webhook.unknown-type", { type: type.slice(0, 64) });
  };

  return async (account, raw) => {
    const webhook = parseWebhook(raw);
    if (webhook.type === "malformed") return refuse(400, "general", `${webhook.path}: ${webhook.message}`);
    if (webhook.type === "unknown-type") {
      tellOnce(webhook.name);
      return refuse(422, "general", "This module does not know this type of event");
    }
    if (!works(account))
      return refuse(403, "access_restricted", "The module is switched off or frozen in this account");
    if (webhook.type === "unsupported") return refuse(422, "general", webhook.message);
    return accept(parts, account, { ...webhook, body: raw });
  };
}

async function accept(
  parts: Parts,
  account: Account,
  { gatewayChannelId, key, act: given, body }: Extract<ParsedWebhook, { type: "act" }> & { body: string },
): Promise<WebhookAnswer> {
  const channel = await parts.store.channels.byGatewayId(account.id, gatewayChannelId);
  if (!channel) return refuse(404, "general", "This account has no such channel");
  if (channel.state === "stopped")
    return refuse(
      422,
      "access_restricted",
      `The channel is stopped: ${channel.trouble ?? "its connection has failed"}`,
    );
  const act = readAct(given, () => parts.sessions.writingOf(channel).markup);
  if (!canDo(parts.sessions, channel, act))
    return refuse(422, "general", `This messenger cannot do that (${act.type})`);
  // Whoever holds the gateway's end must not write to whom they like through a shop's login.
  if (!(await parts.store.messages.knowsChat(channel.id, act.chat)) && !mayBegin(parts.sessions, channel))
    return refuse(422, "customer_not_exists", "Nobody has written in this chat, and this messenger cannot write first");
  // A message is planned before it is stored; what a change needs depends on what is there when its turn comes.
  const plan = act.type === "message" ? planMessage(act, parts.sessions.capabilitiesOf(channel)) : undefined;
  const stored = parts.store.outbox.acceptOutbound(channel, {
    ...{ key, act, plan, patienceMs: parts.patienceMs },
    raw: parts.keepRaw ? () => ({ path: "", headers: {}, body }) : undefined,
  });
  // Before it is on the disk: the claim joins the same commit, and nothing leaves before that.
  parts.wake(account.id);
  await stored;
  return { status: 200, body: act.type === "message" ? { async: true } : {} };
}

function mayBegin(sessions: Sessions, { kind, settings }: Channel): boolean {
  const adapter = sessions.adapter(kind);
  return adapter !== undefined && adapter.features(adapter.settings.parse(settings)).firstContact !== "no";
}

/** The session has a group of verbs exactly when the channel's features announce it. */
function canDo(sessions: Sessions, channel: Channel, act: OutboundAct): boolean {
  const session = sessions.of(channel);
  switch (act.type) {
    case "message":
      return true;
    case "edited":
    case "deleted":
      return session.revisions !== undefined;
    case "read":
      return session.readMarks !== undefined;
    case "reaction":
      return session.reactions !== undefined;
  }
}
