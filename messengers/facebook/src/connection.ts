import { DeliveryError } from "gangway-messenger/errors";
import type { ChannelSession } from "gangway-messenger/port";
import { hostOf, isForeign, unreachable } from "gangway-meta/addresses";
import { type AppWebhook, appWebhook } from "gangway-meta/app-webhook";
import { id } from "gangway-meta/envelope";
import type { Graph } from "gangway-meta/graph";
import { groupsOfToken } from "gangway-meta/groups";
import { CHECKED, inspecting } from "gangway-meta/inspecting";
import { subscribing } from "gangway-meta/messaging/subscribing";
import { lacking } from "gangway-meta/rights";
import { debugToken, expiryTrouble, missingScopes, type TokenFacts } from "gangway-meta/token";
import { GraphError } from "gangway-meta/verdict";
import * as z from "zod";
import { askProfile, graphOptions, RIGHTS, tokenOf } from "./api.ts";
import { type Context, isOperatorsApp, secretOf } from "./server.ts";
import { loginOf } from "./wire.ts";

/** Fields of pages that the webhook subscribes to. */
const FIELDS = [
  "messages",
  "messaging_postbacks",
  "message_reads",
  "message_reactions",
  "message_echoes",
  "message_edits",
  "messaging_referrals",
  "messaging_optins",
  "messaging_policy_enforcement",
  "standby",
] as const;

/** Of the shop's own app. */
function pageWebhook(context: Context, appId: string): AppWebhook {
  const { appSecret: secret, verifyToken } = context.settings;
  const app = { id: appId, secret, object: "page", fields: FIELDS, doorUrl: context.doorUrl, verifyToken };
  return appWebhook(graphOptions(context), app);
}

type Connection = Required<Pick<ChannelSession, "identify" | "connect" | "disconnect" | "inspect" | "groups">>;

const page = z.object({ id, name: z.string().min(1), username: z.string().nullish() });
const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);

/** Subscribes the page, and its app where it is the shop's own; checks that both still are. */
export function connecting(context: Context, graph: Graph): Connection {
  const { settings, server, notes, doorUrl } = context;
  const subscription = subscribing(graph, settings.pageId, FIELDS);
  const me = async (signal: AbortSignal) => {
    const query = { fields: "id,name,username" };
    const found = await graph.call({ method: "GET", path: "me", query, result: page, what: "the page" }, signal);
    if (found.id !== settings.pageId) throw refused(otherPage(found.name));
    return found;
  };
  return {
    async identify(signal) {
      if (!secretOf(settings, server)) throw refused(NO_SECRET);
      const { name, username } = await me(signal).catch(explained);
      return {
        id: loginOf(settings.pageId),
        name,
        link: `https://m.me/${encodeURIComponent(username || settings.pageId)}`,
      };
    },
    async connect(signal) {
      const { name } = await me(signal).catch(explained);
      const token = await checkToken(context, graph, signal);
      const webhook = settings.appSecret ? pageWebhook(context, appIdOf(token)) : undefined;
      const before = await webhook?.address(signal).catch(wrongSecret);
      if (isForeign(before, doorUrl) && !settings.takeOver) throw refused(FOREIGN(hostOf(before)));
      const wasSubscribed = await subscription.isSubscribed(token?.appId, signal);
      await subscription.subscribe(signal);
      try {
        // Another door of this server passes on what is not its own.
        if (webhook && (before === undefined || before === doorUrl || isForeign(before, doorUrl)))
          await webhook.set(signal).catch(unreachable);
      } catch (error) {
        if (!wasSubscribed) await subscription.unsubscribe(signal).catch(() => {});
        throw error;
      }
      await notes.set([{ key: CHECKED, value: "" }]);
      return { name };
    },
    async disconnect(signal) {
      const token = await debugToken(tokenOf(context), signal);
      const webhook = settings.appSecret && token?.appId ? pageWebhook(context, token.appId) : undefined;
      const address = await webhook?.address(signal);
      // Leave another server's subscription alone.
      if (isForeign(address, doorUrl)) return;
      await subscription.unsubscribe(signal);
      if (address === doorUrl) await webhook?.remove(signal);
    },
    inspect: inspecting(context, async (signal) => {
      const token = await checkToken(context, graph, signal);
      if (!(await subscription.isSubscribed(token?.appId, signal))) return REMOVED;
      const webhook = settings.appSecret && token?.appId ? pageWebhook(context, token.appId) : undefined;
      const address = await webhook?.address(signal);
      if (webhook && !address) return NO_WEBHOOK;
      if (isForeign(address, doorUrl))
        return `another server has taken over this app (${hostOf(address)}) and gets its messages`;
      return token && expiryTrouble(token, context.clock.now());
    }),
    groups: async (signal) => (isOperatorsApp(settings, server) ? groupsOfToken(tokenOf(context), signal) : []),
  };
}

const NO_SECRET = "the app secret is missing: without it no webhook is proven";
const REMOVED = "Messenger no longer sends this page's messages here: somebody has removed the subscription";
const NO_WEBHOOK = "the app has no webhook for pages any more: somebody has removed it";
const otherPage = (name: string) =>
  `this token is not of the page with this ID, but of ${name}. Copy the page's own token, or correct the ID`;
const FOREIGN = (host: string) =>
  `another server receives this app's messages now (${host}). Disconnect it there, or allow the takeover`;

/** Undefined if Meta does not answer that. Throws DeliveryError if a right is missing or the token has expired. */
async function checkToken(context: Context, graph: Graph, signal: AbortSignal): Promise<TokenFacts | undefined> {
  const token = await debugToken(tokenOf(context), signal);
  if (!token) {
    await askProfile(graph, context.settings.pageId, signal);
    return undefined;
  }
  const missing = missingScopes(token, RIGHTS);
  if (missing.length > 0) throw lacking(missing);
  if (!token.isValid) throw new DeliveryError({ type: "reconnect" }, BAD_TOKEN);
  return token;
}

function appIdOf(token: TokenFacts | undefined): string {
  if (!token?.appId)
    throw refused("Meta does not say which app this token belongs to. Make a new one, and paste it here");
  return token.appId;
}

const BAD_TOKEN = "Meta does not accept this token. Make a new one for the page, and paste it here";

/** Explains why the first call with newly typed settings failed. */
function explained(error: unknown): never {
  if (!(error instanceof DeliveryError)) throw error;
  const { verdict } = error;
  // A person has no user name there.
  if (error instanceof GraphError && error.refusal.code === 100)
    throw refused("this token is a person's, not the page's. Copy the page's own token");
  if (error instanceof GraphError && error.refusal.code === 190) throw new DeliveryError(verdict, BAD_TOKEN);
  if (verdict.type === "reject" || verdict.type === "reconnect" || error instanceof GraphError) throw error;
  throw new DeliveryError(verdict, "this server cannot reach Messenger, or something else answers in its place");
}

function wrongSecret(error: unknown): never {
  if (error instanceof GraphError && (error.verdict.type === "reconnect" || error.verdict.type === "reject"))
    throw refused("this app secret is not of the app that the token belongs to. Copy it again from the app's settings");
  throw error;
}
