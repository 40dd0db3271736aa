import { type Account, agentsLanguage, works } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import type { ErrorCode } from "../../domain/errors.ts";
import { type Explain, ended } from "../../domain/explanations.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { OutboundAct } from "../../domain/message.ts";
import { planMessage } from "../../domain/plan.ts";
import { readAct } from "../../gateway/markup.ts";
import { type ParsedWebhook, parseWebhook } from "../../gateway/webhook.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";
import { type Hold, releasing } from "../dispatch/holding.ts";
import type { Sessions } from "../sessions/sessions.ts";

/** The answer to the gateway; its body is one of the contract's webhook answers. */
export interface WebhookAnswer {
  status: 200 | 400 | 403 | 404 | 422;
  body: { async: true } | Record<string, never> | { error: { code: ErrorCode; message: string } };
}

/** Stores an agent's act; resolves once it is on disk. The account must already be authenticated. */
export type AcceptOutbound = (account: Account, raw: string) => Promise<WebhookAnswer>;

interface Parts {
  store: Pick<Store, "outbox" | "channels" | "messages">;
  sessions: Sessions;
  patienceMs: number;
  /** Store requests that contain something new. */
  keepRaw: boolean;
  explain: Explain;
  wake(accountId: AccountId): void;
  hold: Hold;
  log: Log;
}

type Refuse = (status: 400 | 403 | 404 | 422, code: ErrorCode, message: string) => WebhookAnswer;

/** In the language of the account's agents, who read it beside their message. */
const refusing =
  ({ explain }: Parts, account: Account): Refuse =>
  (status, code, message) => ({
    status,
    body: { error: { code, message: ended(explain(message, agentsLanguage(account, "en"))) } },
  });

export function createAcceptOutbound(parts: Parts): AcceptOutbound {
  const loggedTypes = new Set<string>();
  const logOnce = (type: string) => {
    if (loggedTypes.has(type) || loggedTypes.size > 100) return;
    loggedTypes.add(type);
    parts.log.warn("webhook.unknown-type", { type: type.slice(0, 64) });
  };

  return async (account, raw) => {
    const refuse = refusing(parts, account);
    const webhook = parseWebhook(raw);
    if (webhook.type === "malformed") return refuse(400, "general", `${webhook.path}: ${webhook.message}`);
    if (webhook.type === "unknown-type") {
      logOnce(webhook.name);
      return refuse(422, "general", "This module does not know this type of event");
    }
    if (!works(account))
      return refuse(403, "access_restricted", "The module is switched off or frozen in this account");
    if (webhook.type === "unsupported") return refuse(422, "general", webhook.message);
    return accept(parts, account, { ...webhook, body: raw }, refuse);
  };
}

async function accept(
  parts: Parts,
  account: Account,
  { gatewayChannelId, key, act: given, body }: Extract<ParsedWebhook, { type: "act" }> & { body: string },
  refuse: Refuse,
): Promise<WebhookAnswer> {
  const channel = await parts.store.channels.byGatewayId(account.id, gatewayChannelId);
  if (!channel) return refuse(404, "general", "This account has no such channel");
  if (channel.state === "paused") return refuse(422, "access_restricted", "The channel is paused");
  if (channel.state === "stopped")
    return refuse(
      422,
      "access_restricted",
      `The channel is stopped: ${channel.trouble ?? "its connection has failed"}`,
    );
  const act = readAct(given, () => parts.sessions.writingOf(channel).markup);
  if (!supports(parts.sessions, channel, act))
    return refuse(422, "general", `This messenger cannot do that (${act.type})`);
  // A caller with the gateway's secrets must not message strangers through a shop's login.
  const knows = () => parts.store.messages.knowsChat(channel.id, act.chat);
  const refuseUnknown = () =>
    refuse(422, "customer_not_exists", "Nobody has written in this chat, and this messenger cannot write first");
  const toKnown = await knows();
  if (!toKnown && !canWriteFirst(parts.sessions, channel)) return refuseUnknown();
  // Plan messages before storing them; plan changes when they run, since they depend on the parts sent by then.
  const plan = act.type === "message" ? planMessage(act, parts.sessions.capabilitiesOf(channel)) : undefined;
  const acceptance = {
    ...{ key, act, plan, toKnown, patienceMs: parts.patienceMs },
    raw: parts.keepRaw ? () => ({ path: "", headers: {}, body }) : undefined,
  };
  const held = parts.hold(account.id, channel.kind, 1);
  const isNew = await releasing(held, () => parts.store.outbox.acceptOutbound(channel, acceptance, held));
  if (!held?.begun()) parts.wake(account.id);
  // The customer may have been erased meanwhile.
  if (!isNew && toKnown && !(await knows())) return refuseUnknown();
  return { status: 200, body: act.type === "message" ? { async: true } : {} };
}

function canWriteFirst(sessions: Sessions, { kind, settings }: Channel): boolean {
  const adapter = sessions.adapter(kind);
  return adapter !== undefined && adapter.features(adapter.settings.parse(settings)).firstContact !== "no";
}

/** The session has a group of verbs exactly if the channel's features announce it. */
function supports(sessions: Sessions, channel: Channel, act: OutboundAct): boolean {
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
