import { DeliveryError } from "gangway-messenger/errors";
import { dateFormat, type InLanguages, LANGUAGES } from "gangway-messenger/language";
import type { ChannelSession } from "gangway-messenger/port";
import * as z from "zod";
import { change, type MaxApi } from "./api.ts";
import { MaxError, rejected } from "./verdict.ts";
import { type Context, isPolling, ME, UPDATE_TYPES } from "./wire.ts";

type Connection = Required<Pick<ChannelSession, "identify" | "connect" | "disconnect" | "standing">> &
  Pick<ChannelSession, "inspect">;

const id = z.union([z.number(), z.string()]).transform(String);
const bot = z.object({
  user_id: id,
  first_name: z.string().nullish(),
  name: z.string().nullish(),
  username: z.string().nullish(),
  avatar_url: z.string().nullish(),
});
type Bot = z.infer<typeof bot>;
const subscription = z.object({
  url: z.string(),
  time: z.number(),
  /** Absent or empty: all updates. */
  update_types: z.array(z.string()).nullish(),
});
type Subscription = z.infer<typeof subscription>;
const subscriptions = z.object({ subscriptions: z.array(subscription) });

/** Whose token it is, and the subscription, which MAX ends after eight hours without an answer. */
export function connecting(context: Context, api: MaxApi): Connection {
  const { doorUrl, settings, notes } = context;
  const polls = isPolling(context);
  const me = (signal: AbortSignal) => api.ask({ method: "GET", path: "me", result: bot, what: "the bot" }, signal);
  const list = async (signal: AbortSignal) => {
    const request = { method: "GET", path: "subscriptions", result: subscriptions, what: "the subscriptions" } as const;
    return (await api.ask(request, signal)).subscriptions;
  };
  const subscribe = (signal: AbortSignal) => {
    const body = { url: doorUrl, update_types: UPDATE_TYPES, secret: settings.webhookSecret };
    const what = "the subscription";
    return change(api, { method: "POST", path: "subscriptions", body, what, repeatable: true }, signal);
  };
  const unsubscribe = (url: string, signal: AbortSignal) =>
    change(api, { method: "DELETE", path: "subscriptions", query: { url }, what: "the subscription" }, signal);

  return {
    async identify(signal) {
      const found = await me(signal).catch(explained);
      const { user_id, username } = found;
      const link = username && { link: `https://max.ru/${encodeURIComponent(username)}` };
      return { id: `max:${user_id}`, name: nameOf(found), ...link };
    },
    async connect(signal) {
      const found = await me(signal).catch(explained);
      const before = await list(signal);
      const foreign = before.filter(({ url }) => isForeign(url, doorUrl));
      if (foreign[0] && !settings.takeOver) throw rejected(FOREIGN(hostOf(foreign[0].url)));
      // Recognizes the bot's own deletions, which are not a customer's.
      await notes.set([{ key: ME, value: found.user_id }]);
      const own = before.find(({ url }) => url === doorUrl);
      if (!polls && !isWhole(own)) await subscribe(signal).catch(notAccepted);
      // Any subscription disables polling.
      const others = before.filter(({ url }) => polls || url !== doorUrl);
      try {
        for (const { url } of others) await unsubscribe(url, signal);
      } catch (error) {
        if (!polls && !own) await unsubscribe(doorUrl, signal).catch(() => {});
        throw error;
      }
      return { name: nameOf(found), ...(found.avatar_url && { avatarUrl: found.avatar_url }) };
    },
    async disconnect(signal) {
      if ((await list(signal)).some(({ url }) => url === doorUrl)) await unsubscribe(doorUrl, signal);
    },
    async standing(signal) {
      const found = await me(signal);
      const own = polls ? undefined : (await list(signal)).find(({ url }) => url === doorUrl);
      return { facts: factsOf(found, own?.time) };
    },
    ...(!polls && { inspect: keeping({ doorUrl, list, subscribe }) }),
  };
}

/** A new subscription might lose updates that wait for a repeat under the old one. */
function isWhole(own: Subscription | undefined): boolean {
  if (!own) return false;
  const { update_types: types } = own;
  return !types?.length || UPDATE_TYPES.every((type) => types.includes(type));
}

interface Keeping {
  doorUrl: string;
  list(signal: AbortSignal): Promise<Subscription[]>;
  subscribe(signal: AbortSignal): Promise<void>;
}

/**
 * Checks that we are subscribed, and subscribes again after a long outage of ours; not in place of another service. MAX
 * delivers updates that waited meanwhile to no subscriber.
 */
function keeping({ doorUrl, list, subscribe }: Keeping) {
  return async (signal: AbortSignal): Promise<string | undefined> => {
    const found = await list(signal);
    if (found.some(({ url }) => url === doorUrl)) return undefined;
    const [other] = found.filter(({ url }) => isForeign(url, doorUrl));
    if (other) return `another service has taken over this bot (${hostOf(other.url)}) and gets its messages`;
    await subscribe(signal);
    return ENDED;
  };
}

const ENDED =
  "MAX had ended the subscription to this bot's messages, as it does after eight hours without an answer. It is made again; messages that customers wrote meanwhile may be missing";

const nameOf = ({ first_name, name, username, user_id }: Bot): string =>
  name || first_name || (username ? `@${username}` : `MAX ${user_id}`);

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "unknown");

/** Whether it points somewhere other than a door of this server. */
function isForeign(url: string, doorUrl: string): boolean {
  if (!URL.canParse(url)) return true;
  const [set, ours] = [new URL(url), new URL(doorUrl)];
  return set.origin !== ours.origin || !set.pathname.startsWith("/m/");
}

const FOREIGN = (host: string) =>
  `this bot is connected to another service now (${host}). Disconnect it there, or allow the takeover`;

/** Explains why the first call with a newly typed token failed. */
function explained(error: unknown): never {
  if (!(error instanceof DeliveryError)) throw error;
  const { verdict } = error;
  if (verdict.type === "reconnect")
    throw new DeliveryError(verdict, "MAX does not recognise this token. Copy it again from the bot's settings");
  if (verdict.type === "reject" || error instanceof MaxError) throw error;
  throw new DeliveryError(verdict, "this server cannot reach MAX, or something else answers in its place");
}

function notAccepted(error: unknown): never {
  if (error instanceof DeliveryError && error.verdict.type === "reject")
    throw rejected(`MAX has not accepted this server's address. ${error.message}`);
  throw error;
}

const NAMES = {
  bot: { en: "Bot", es: "Bot", ru: "Бот" },
  since: { en: "Sends messages here since", es: "Envía aquí los mensajes desde", ru: "Присылает сюда сообщения с" },
} satisfies Record<string, InLanguages<string>>;
const DAY = { dateStyle: "long" } as const;

function factsOf(found: Bot, since: number | undefined) {
  const facts: { name: InLanguages<string>; value: InLanguages<string> | string }[] = [];
  if (found.username) facts.push({ name: NAMES.bot, value: `@${found.username}` });
  if (since !== undefined) {
    const days = LANGUAGES.map((language) => [language, dateFormat(language, DAY).format(since)]);
    facts.push({ name: NAMES.since, value: Object.fromEntries(days) as InLanguages<string> });
  }
  return facts;
}
