import { DeliveryError } from "gangway-messenger/errors";
import type { ChannelSession } from "gangway-messenger/port";
import { id } from "gangway-meta/envelope";
import type { Graph } from "gangway-meta/graph";
import { CHECKED, inspecting } from "gangway-meta/inspecting";
import { subscribing } from "gangway-meta/messaging/subscribing";
import { lacking } from "gangway-meta/rights";
import { expiryTrouble } from "gangway-meta/token";
import { GraphError, isPermission } from "gangway-meta/verdict";
import * as z from "zod";
import { askConversations, RIGHTS } from "./api.ts";
import { type Context, secretOf } from "./server.ts";
import { expiryOf } from "./token.ts";
import { loginOf } from "./wire.ts";

type Connection = Required<Pick<ChannelSession, "identify" | "connect" | "disconnect" | "inspect">>;

const FIELDS = [
  "messages",
  "message_reactions",
  "message_edit",
  "messaging_postbacks",
  "messaging_referral",
  "messaging_seen",
  "standby",
];
const account = z.object({ user_id: id, username: z.string().min(1), account_type: z.string().nullish() });
const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);

/** Subscribes the account to the app's webhook, whose address the owner sets: Instagram has no call for that. */
export function connecting(context: Context, graph: Graph): Connection {
  const { settings, server, notes, clock } = context;
  const { accountId } = settings;
  const subscription = subscribing(graph, accountId, settings.comments ? [...FIELDS, "comments"] : FIELDS);
  const me = async (signal: AbortSignal) => {
    const query = { fields: "user_id,username,account_type" };
    const found = await graph.call({ method: "GET", path: "me", query, result: account, what: "the account" }, signal);
    if (found.user_id !== accountId) throw refused(otherAccount(found));
    return found;
  };
  return {
    async identify(signal) {
      if (!secretOf(settings, server)) throw refused(NO_SECRET);
      const { username } = await me(signal).catch(explained);
      return { id: loginOf(accountId), name: `@${username}`, link: `https://ig.me/m/${encodeURIComponent(username)}` };
    },
    async connect(signal) {
      const { username } = await me(signal).catch(explained);
      await askConversations(graph, accountId, signal).catch(noMessages);
      await subscription.subscribe(signal).catch(withoutRight);
      await notes.set([{ key: CHECKED, value: "" }]);
      return { name: `@${username}` };
    },
    disconnect: (signal) => subscription.unsubscribe(signal),
    inspect: inspecting(context, async (signal) => {
      const now = clock.now();
      if (!(await subscription.isSubscribed(undefined, signal))) return REMOVED;
      const hidden = await troubleWithMessages(graph, accountId, signal);
      return hidden ?? expiryTrouble({ expiresAt: expiryOf(settings) }, now);
    }),
  };
}

const NO_SECRET = "the app secret is missing: without it no webhook is proven";
const REMOVED = "Instagram no longer sends this account's messages here: somebody has removed the subscription";
const BAD_TOKEN = "Instagram does not accept this token. Generate a new one for the account, and paste it here";
const NOT_ALLOWED =
  "Instagram does not let apps see this account's messages. In its app, open Settings, Messages and story replies, Message controls, Connected tools, and allow access to messages";
const otherAccount = ({ user_id, username }: z.infer<typeof account>) =>
  `this token is of another account: ${user_id} (@${username}). Correct the ID, or generate a token for the right account`;

/** Explains why the first call with newly typed settings failed. */
function explained(error: unknown): never {
  if (!(error instanceof DeliveryError)) throw error;
  const { verdict } = error;
  if (error instanceof GraphError && [102, 190, 452].includes(error.refusal.code))
    throw new DeliveryError(verdict, BAD_TOKEN);
  if (verdict.type === "reject" || verdict.type === "reconnect" || error instanceof GraphError) throw error;
  throw new DeliveryError(verdict, "this server cannot reach Instagram, or something else answers in its place");
}

/** The owner may withdraw their consent; a missing right throws. */
async function troubleWithMessages(graph: Graph, accountId: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    await askConversations(graph, accountId, signal);
    return undefined;
  } catch (error) {
    if (!(error instanceof GraphError) || error.verdict.type === "reconnect") throw error;
    // Two list calls a second are allowed: the next inspection asks again.
    return error.verdict.type === "reject" ? NOT_ALLOWED : undefined;
  }
}

/** Either the right is missing, or the owner's consent. */
function noMessages(error: unknown): never {
  if (error instanceof GraphError && isPermission(error.refusal)) throw lacking(RIGHTS.slice(1));
  if (error instanceof GraphError && error.verdict.type === "reject") throw refused(NOT_ALLOWED);
  throw error;
}

function withoutRight(error: unknown): never {
  if (error instanceof GraphError && isPermission(error.refusal)) throw lacking(RIGHTS);
  throw error;
}
