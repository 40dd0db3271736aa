import { DeliveryError } from "gangway-messenger/errors";
import type { ChannelSession, LoginFacts } from "gangway-messenger/port";
import * as z from "zod";
import type { AvitoApi } from "./api.ts";
import { isWeb } from "./content.ts";
import { LOOKED } from "./notes.ts";
import { AvitoError } from "./verdict.ts";
import { type Context, done, loginOf, type Self, subscriptions, webhookUrl } from "./wire.ts";

type Connection = Required<Pick<ChannelSession, "identify" | "connect" | "disconnect" | "inspect" | "standing">>;

/** Interval between two checks of the subscription, ms: calls are limited. */
const LOOK_MS = 300_000;
/** The version of the webhook that we subscribe (subscriptions). */
const VERSION = "3";
const UNSUBSCRIBE = "/messenger/v1/webhook/unsubscribe";
const looked = z.object({ at: z.number(), trouble: z.string().optional() });

const nameOf = ({ id, name }: Self): string => name?.trim() || `Avito ${id}`;

/** Subscribes the account beside other subscribers: Avito sends to each address that it was given. */
export function connecting(context: Context, api: AvitoApi): Connection {
  const { notes, clock } = context;
  const url = webhookUrl(context);
  const list = async (signal: AbortSignal) => {
    const path = "/messenger/v1/subscriptions";
    const request = {
      method: "POST",
      path,
      result: subscriptions,
      what: "the subscriptions",
      repeatable: true,
    } as const;
    return (await api.call(request, signal)).subscriptions;
  };
  const subscribed = async (signal: AbortSignal) => (await list(signal)).find((each) => each.url === url);
  const post = (path: string, body: { url: string }, signal: AbortSignal) =>
    api.call({ method: "POST", path, body, result: done, what: "the webhook", repeatable: true }, signal);
  const unsubscribe = (address: string, signal: AbortSignal) => post(UNSUBSCRIBE, { url: address }, signal);
  return {
    async identify(signal) {
      const own = await api.self(signal).catch(explained);
      return {
        id: loginOf(own.id),
        name: nameOf(own),
        ...(isWeb(own.profile_url) && own.profile_url.startsWith("https:") && { link: own.profile_url }),
      };
    },
    async connect(signal) {
      const own = await api.self(signal).catch(explained);
      const before = await list(signal).catch(explained);
      const known = before.find((each) => each.url === url);
      if (known?.version !== VERSION) await post("/messenger/v3/webhook", { url }, signal).catch(explained);
      // Ends the subscription of a removed channel that could not end it. If it fails again, the next connection tries.
      const left = before.filter((each) => each.url !== url && isOurs(each.url, url));
      for (const each of left) await unsubscribe(each.url, signal).catch(() => {});
      await notes.set([{ key: LOOKED, value: "" }]);
      return { name: nameOf(own) };
    },
    async disconnect(signal) {
      if (await subscribed(signal)) await unsubscribe(url, signal);
    },
    async inspect(signal) {
      const now = clock.now();
      const last = lookedAt(await notes.get(LOOKED));
      if (last && now >= last.at && now - last.at < LOOK_MS) return last.trouble;
      const found = await subscribed(signal);
      const trouble = found ? undefined : REMOVED;
      await notes.set([{ key: LOOKED, value: JSON.stringify({ at: now, trouble }) }]);
      return trouble;
    },
    async standing(signal) {
      const own = await api.self(signal);
      const facts: LoginFacts["facts"] = [{ name: ACCOUNT, value: `${nameOf(own)} (${own.id})` }];
      return { facts };
    },
  };
}

const ACCOUNT = { en: "Account", es: "Cuenta", ru: "Аккаунт" };
const REMOVED = "Avito no longer sends this account's messages here: somebody has removed the webhook";

/** Whether it leads to a door of this server: an account has one channel here. */
function isOurs(address: string, own: string): boolean {
  if (!URL.canParse(address)) return false;
  const [set, ours] = [new URL(address), new URL(own)];
  return set.origin === ours.origin && set.pathname.startsWith("/m/");
}

/** Explains why the first calls with newly typed settings failed. */
function explained(error: unknown): never {
  if (!(error instanceof DeliveryError)) throw error;
  const { verdict } = error;
  if (verdict.type === "reject" || verdict.type === "reconnect" || error instanceof AvitoError) throw error;
  throw new DeliveryError(verdict, "this server cannot reach Avito, or something else answers in its place");
}

function lookedAt(text: string | undefined): z.infer<typeof looked> | undefined {
  try {
    return looked.safeParse(JSON.parse(text || "null")).data;
  } catch {
    return undefined;
  }
}
