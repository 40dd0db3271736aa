import { DeliveryError } from "gangway-messenger/errors";
import { fingerprint } from "gangway-messenger/ids";
import type { ChannelSession } from "gangway-messenger/port";
import * as z from "zod";
import { type BotApi, BotError, plainText } from "./api.ts";
import { businessTrouble, businessUnfinished } from "./business.ts";
import { ALLOWED_UPDATES, botIdOf, type Context, type Settings } from "./wire.ts";

type Connection = Required<Pick<ChannelSession, "identify" | "connect" | "disconnect" | "handover">> &
  Pick<ChannelSession, "inspect" | "unfinished">;

const user = z.object({
  id: z.union([z.number(), z.string()]),
  username: z.string().optional(),
  first_name: z.string(),
  can_connect_to_business: z.boolean().optional(),
});
const webhookInfo = z.object({
  url: z.string().default(""),
  pending_update_count: z.number().default(0),
  last_error_date: z.number().optional(),
  last_error_message: z.string().optional(),
  max_connections: z.number().optional(),
  allowed_updates: z.array(z.string()).optional(),
});
const commands = z.array(z.unknown());
/** The bot's webhook before it came here. Its `url` contains TOKEN in place of the bot's token. */
const mark = z.object({
  url: z.string(),
  max_connections: z.number().optional(),
  allowed_updates: z.array(z.string()).optional(),
  /** Whether it had commands of its own. */
  hasMenu: z.boolean(),
  /** Of the token. */
  fingerprint: z.string().optional(),
});
const TOKEN = "{token}";

/** One webhook call at a time, to keep messages in order. */
const MAX_CONNECTIONS = 1;
/** An older webhook error counts as resolved, s. */
const RECENT_S = 600;
const START: Record<Settings["language"], string> = {
  en: "Start the chat",
  es: "Empezar el chat",
  ru: "Начать чат",
};

/** Subscribes to updates, and checks the subscription. */
export function connecting(context: Context, api: BotApi): Connection {
  const { settings, doorUrl, clock } = context;
  const me = (signal: AbortSignal) => api.call({ method: "getMe", result: user, repeatable: true }, signal);
  const info = (signal: AbortSignal) =>
    api.call({ method: "getWebhookInfo", result: webhookInfo, repeatable: true }, signal);
  const set = (method: string, params: Record<string, unknown>, signal: AbortSignal) =>
    api.call({ method, params, result: z.unknown(), repeatable: true }, signal);
  const polls = isPolling(context);

  return {
    async identify(signal) {
      const { id, username, first_name: name, can_connect_to_business: isOpen } = await me(signal).catch(explained);
      if (String(id) !== botIdOf(settings)) throw refused("this token belongs to another bot");
      if (settings.servesBusiness && !isOpen) throw refused(BUSINESS_OFF);
      const named = username && { name: `@${username}`, link: `https://t.me/${encodeURIComponent(username)}` };
      return { id: `telegram:${id}`, ...(named || { name }) };
    },
    async connect(signal) {
      const { username, first_name: name } = await me(signal);
      const before = await info(signal);
      if (isForeign(before.url, doorUrl) && !settings.takeOver) throw refused(FOREIGN(hostOf(before.url)));
      if (polls) await set("deleteWebhook", {}, signal);
      else await set("setWebhook", subscription(context), signal);
      try {
        await offerStart(api, settings.language, signal);
      } catch (error) {
        if (!polls && !before.url) await set("deleteWebhook", {}, signal).catch(() => {});
        throw error;
      }
      return { name: username ? `@${username}` : name };
    },
    async disconnect(signal) {
      // Leave another server's subscription alone.
      if (!polls && (await info(signal)).url === doorUrl) await set("deleteWebhook", {}, signal);
    },
    handover: {
      async look(signal) {
        const { url, max_connections, allowed_updates } = await info(signal);
        const known = await api.call({ method: "getMyCommands", result: commands, repeatable: true }, signal);
        const { token } = settings;
        const kept: z.infer<typeof mark> = {
          url: url.replaceAll(token, TOKEN).replaceAll(encodeURIComponent(token), TOKEN),
          ...{ max_connections, allowed_updates, hasMenu: known.length > 0, fingerprint: fingerprint(token) },
        };
        const isOwn = polls ? url === "" : pathOf(url) === pathOf(doorUrl);
        return { isHere: polls ? isOwn : url === doorUrl, isOwn, to: url && hostOf(url), mark: kept };
      },
      async giveBack(given, signal) {
        const { url, hasMenu, fingerprint: _, ...rest } = mark.parse(given);
        // Omitting the list would keep ours; bots start with an empty one (Bot API, setWebhook).
        const allowed_updates = rest.allowed_updates ?? [];
        const before = { ...rest, allowed_updates, url: url.replaceAll(TOKEN, () => settings.token) };
        if (!hasMenu) await removeStart(api, signal);
        await set(url === "" ? "deleteWebhook" : "setWebhook", url === "" ? {} : before, signal);
      },
      knows: (given) => mark.parse(given).fingerprint === fingerprint(settings.token),
      async leave(signal) {
        await set("deleteWebhook", {}, signal);
      },
    },
    unfinished: () => businessUnfinished(settings, context.notes),
    ...(!polls && {
      inspect: async (signal: AbortSignal) =>
        troubleOf(await info(signal), doorUrl, Math.floor(clock.now() / 1000)) ??
        (await businessTrouble(settings, context.notes)),
    }),
  };
}

export const isPolling = ({ settings, server }: Pick<Context, "settings" | "server">): boolean =>
  (settings.updates === "server" ? server.updates : settings.updates) === "polling";

const subscription = ({ settings, doorUrl }: Context) => ({
  url: doorUrl,
  secret_token: settings.webhookSecret,
  allowed_updates: ALLOWED_UPDATES,
  max_connections: MAX_CONNECTIONS,
});

const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);

/** Explains why the first call with a newly typed token failed. */
function explained(error: unknown): never {
  if (!(error instanceof DeliveryError)) throw error;
  const { verdict } = error;
  if (verdict.type === "reconnect")
    throw new DeliveryError(verdict, "Telegram does not recognise this token. Copy it again from @BotFather");
  if (verdict.type === "reject" || error instanceof BotError) throw error;
  throw new DeliveryError(verdict, "this server cannot reach Telegram, or something else answers in its place");
}

const BUSINESS_OFF =
  "this bot is closed to business accounts. In the chat with @BotFather write /mybots, choose it, then Bot Settings, Business Mode, Turn on";

const FOREIGN = (host: string) =>
  `this bot is connected to another service now (${host}). Disconnect it there, or allow the takeover`;

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : "unknown");
const pathOf = (url: string) => (URL.canParse(url) ? new URL(url).pathname : undefined);

/** Whether the webhook points somewhere other than a door of this server. */
function isForeign(url: string, doorUrl: string): boolean {
  if (!URL.canParse(url)) return url !== "";
  const ours = new URL(doorUrl);
  const set = new URL(url);
  return set.origin !== ours.origin || !set.pathname.startsWith("/m/");
}

/** Adds a menu with one command to a bot that has none. */
async function offerStart(api: BotApi, language: Settings["language"], signal: AbortSignal): Promise<void> {
  const known = await api.call({ method: "getMyCommands", result: commands, repeatable: true }, signal);
  if (known.length > 0) return;
  const params = { commands: [{ command: "start", description: START[language] }] };
  await api.call({ method: "setMyCommands", params, result: z.unknown(), repeatable: true }, signal);
}

/** Removes the menu that `offerStart` made, and no other. */
async function removeStart(api: BotApi, signal: AbortSignal): Promise<void> {
  const known = await api.call({ method: "getMyCommands", result: commands, repeatable: true }, signal);
  const [only] =
    z
      .array(z.object({ command: z.literal("start"), description: z.string() }))
      .max(1)
      .safeParse(known).data ?? [];
  if (!only || !Object.values(START).includes(only.description)) return;
  await api.call({ method: "deleteMyCommands", params: {}, result: z.unknown(), repeatable: true }, signal);
}

function troubleOf(info: z.infer<typeof webhookInfo>, doorUrl: string, now: number): string | undefined {
  if (info.url === "") return "Telegram no longer sends this bot's messages here: somebody has removed the webhook";
  if (info.url !== doorUrl) return `another server has taken over this bot (${hostOf(info.url)}) and gets its messages`;
  const failing = info.last_error_date !== undefined && now - info.last_error_date < RECENT_S;
  if (failing && info.pending_update_count > 0)
    return `Telegram cannot deliver messages: ${plainText(info.last_error_message ?? "") || "no reason given"}`;
  return undefined;
}
