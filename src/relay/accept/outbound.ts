import type { Explain } from "gangway-messenger/explanations";
import type { Features } from "gangway-messenger/features";
import { planMessage } from "gangway-messenger/planning";
import { cutText } from "gangway-messenger/text";
import { type Account, agentsLanguage, works } from "../../domain/account.ts";
import { CAME_FROM, type Channel, notInstalled } from "../../domain/channel.ts";
import { ended } from "../../domain/explanations.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { OutboundAct } from "../../domain/message.ts";
import { pausedInWords } from "../../domain/pausing.ts";
import { readAct } from "../../gateway/client.ts";
import { type ParsedWebhook, parseWebhook } from "../../gateway/webhook.ts";
import type { Log } from "../../log.ts";
import type { ReadySlots } from "../../store/outbox.ts";
import type { Store } from "../../store/store.ts";
import { type WithSlots, withoutSlots } from "../scheduler/slots.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { ActOnTemplate, Refuse, WebhookAnswer } from "./templates.ts";

/** Stores an agent's act; resolves once it is on disk. The account must already be authenticated. */
export type AcceptOutbound = (account: Account, raw: string) => Promise<WebhookAnswer>;

interface Parts {
  store: Pick<Store, "outbox" | "channels" | "messages" | "notes" | "erasure">;
  sessions: Sessions;
  patienceMs: number;
  /** The vendor's name, which agents read when the vendor has paused the account. */
  vendor: string;
  /** Store requests that contain something new. */
  keepRaw: boolean;
  explain: Explain;
  wake(accountId: AccountId): void;
  /** Absent: calls never start with the commit that stores their jobs. */
  withSlots?: WithSlots;
  /** Absent: acts on templates are refused. */
  actOnTemplate?: ActOnTemplate;
  log: Log;
}

/** Refuses in the language of the account's agents, who read it beside their message. */
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
    parts.log.warn("webhook.unknown-type", { type: cutText(type, 64) });
  };

  return async (account, raw) => {
    const refuse = refusing(parts, account);
    const webhook = parseWebhook(raw);
    if (webhook.type === "malformed") return refuse(400, "general", `${webhook.path}: ${webhook.message}`);
    if (webhook.type === "unknown-type") {
      logOnce(webhook.name);
      return refuse(422, "general", "This module does not know this type of event");
    }
    const refuseNew = async (...words: Parameters<Refuse>) =>
      webhook.type === "act" && (await wasAccepted(parts, account, webhook))
        ? acceptedAnswer(webhook)
        : refuse(...words);
    if (account.pauseReason !== undefined)
      return refuseNew(403, "access_restricted", pausedInWords(parts.vendor, account.pauseReason));
    if (!works(account))
      return refuseNew(403, "access_restricted", "The module is switched off or frozen in this account");
    if (webhook.type === "unsupported") return refuse(422, "general", webhook.message);
    const channel = await parts.store.channels.byGatewayId(account.id, webhook.gatewayChannelId);
    if (!channel) return refuseNew(404, "general", "This account has no such channel");
    const rest = restOf(channel, parts);
    if (rest) return refuseNew(422, "access_restricted", rest);
    if (webhook.type === "template")
      return parts.actOnTemplate?.(channel, webhook, refuse) ?? refuse(422, "general", NO_TEMPLATES);
    return await accept(parts, account, { key: webhook.key, act: webhook.act, channel, body: raw }, refuse);
  };
}

/** Why the channel takes nothing new; undefined when it does. */
function restOf(
  { state, trouble, kind, pauseReason }: Channel,
  { sessions, vendor }: Pick<Parts, "sessions" | "vendor">,
): string | undefined {
  if (pauseReason !== undefined) return pausedInWords(vendor, pauseReason);
  if (!sessions.adapter(kind)) return `The channel is stopped: ${notInstalled(kind)}`;
  if (state === "paused") return "The channel is paused";
  return state === "stopped" ? `The channel is stopped: ${trouble ?? "its connection has failed"}` : undefined;
}

type ActWebhook = Extract<ParsedWebhook, { type: "act" }>;
type Act = Pick<ActWebhook, "key" | "act"> & { channel: Channel; body: string };

/** The gateway repeats calls whose answer it missed: refusing a repeat would tell the agent that the message failed. */
async function wasAccepted({ store }: Parts, { id }: Account, { key, gatewayChannelId }: ActWebhook): Promise<boolean> {
  const channel = await store.channels.onceAtGateway(id, gatewayChannelId);
  return channel !== undefined && (await store.outbox.unknown(channel, "outbound", [key])).length === 0;
}

const acceptedAnswer = ({ act }: Pick<ActWebhook, "act">): WebhookAnswer => ({
  status: 200,
  body: act.type === "message" ? { async: true } : {},
});

/** The channel came from another module, to which its customers wrote. Customers erased here must write again first. */
const isOlder = async ({ notes, erasure }: Parts["store"], { id }: Channel, chat: string) =>
  (await notes.get(id, CAME_FROM)) !== undefined && !(await erasure.isErased(id, [chat], 0));

async function accept(
  parts: Parts,
  account: Account,
  { channel, key, act: given, body }: Act,
  refuse: Refuse,
): Promise<WebhookAnswer> {
  const features = () => parts.sessions.featuresOf(channel);
  const read = readAct(given, () => parts.sessions.writingOf(channel).markup);
  const act = withoutTemplate(read, features);
  if (!act) return refuse(422, "general", NO_TEMPLATES);
  if (!supports(parts.sessions, channel, act))
    return refuse(422, "general", `This messenger cannot do that (${act.type})`);
  // A caller with the gateway's secrets must not message strangers through a shop's login.
  const knows = () => parts.store.messages.knowsChat(channel.id, act.chat);
  const refuseUnknown = () =>
    refuse(422, "customer_not_exists", "Nobody has written in this chat, and this messenger cannot write first");
  const toKnown = await knows();
  const first = toKnown || (await isOlder(parts.store, channel, act.chat)) ? "text" : features().firstContact;
  if (first === "no") return refuseUnknown();
  if (first === "template" && act.type === "message" && !act.template)
    return refuse(422, "reply_timed_out", FIRST_MUST_BE_TEMPLATE);
  // Plan messages before storing them; plan changes when they run, since they depend on the parts sent by then.
  const plan = act.type === "message" ? planMessage(act, parts.sessions.open(channel).capabilities) : undefined;
  const { patienceMs, withSlots = withoutSlots } = parts;
  const raw = parts.keepRaw ? () => ({ path: "", headers: {}, body }) : undefined;
  const acceptance = { key, act, plan, toKnown, patienceMs, raw };
  const write = (slots?: ReadySlots) => parts.store.outbox.acceptOutbound(channel, acceptance, slots);
  const { result: isNew, begun } = await withSlots(account.id, channel.kind, 1, write);
  if (begun === 0) parts.wake(account.id);
  // The customer may have been erased meanwhile.
  if (!isNew && toKnown && !(await knows())) return refuseUnknown();
  return acceptedAnswer({ act });
}

const NO_TEMPLATES = "This messenger has no templates";
const FIRST_MUST_BE_TEMPLATE = "The first message in a chat must be a template, since the customer has not written yet";

/** For channels without templates: the template's text as a plain message; undefined when it has none. */
function withoutTemplate(act: OutboundAct, features: () => Features): OutboundAct | undefined {
  if (act.type !== "message" || !act.template || features().templates) return act;
  const { template: _, ...message } = act;
  return act.content.type === "text" && act.content.text === "" ? undefined : message;
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
