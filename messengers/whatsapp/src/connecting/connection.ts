import { DeliveryError } from "gangway-messenger/errors";
import { fingerprint } from "gangway-messenger/ids";
import type { ChannelSession } from "gangway-messenger/port";
import { hostOf, isForeign, unreachable } from "gangway-meta/addresses";
import { groupsOfToken } from "gangway-meta/groups";
import { CHECKED, inspecting } from "gangway-meta/inspecting";
import { lacking } from "gangway-meta/rights";
import { debugToken, expiryTrouble, missingScopes, type TokenFacts } from "gangway-meta/token";
import { GraphError } from "gangway-meta/verdict";
import { type CloudApi, isWithout, MANAGEMENT, MESSAGING, NO_MANAGEMENT, RIGHTS, tokenOf } from "../api.ts";
import { type Context, isOperatorsApp, secretOf } from "../server.ts";
import { loginOf } from "../wire.ts";
import { accountGroup, accountNote, rememberAccount, sharingGroup } from "./account.ts";
import { offerAppWebhook } from "./app-webhook.ts";
import { askNumber, askNumbers, linkOf, nameOf, type PhoneNumber } from "./number.ts";
import { askForHistory } from "./phone-sync.ts";
import { askSubscription, subscribe, unsubscribe } from "./subscription.ts";

type Connection = Required<
  Pick<ChannelSession, "identify" | "connect" | "disconnect" | "inspect" | "groups" | "sharing">
>;

const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);

/** Subscribes the channel's door, and checks that it still is. */
export function connecting(context: Context, api: CloudApi): Connection {
  const { settings, notes, doorUrl } = context;
  const isMeta = settings.via === "meta";
  return {
    async identify(signal) {
      if (!isMeta) {
        await askSubscription(context, api, undefined, signal).catch(explained);
        // 360dialog proves the key, which belongs to one number, but not which number: nobody may claim another's.
        return { id: `whatsapp:360dialog:${fingerprint(settings.token)}`, name: settings.phoneNumberId };
      }
      const id = loginOf(settings.phoneNumberId);
      if (!secretOf(settings, context.server))
        throw refused("the app secret is missing: without it no webhook is proven");
      const number = await askNumber(api, settings, signal).catch(explained);
      return { id, name: nameOf(number), link: linkOf(number) };
    },
    async connect(signal) {
      if (!isMeta) {
        await subscribe(context, api, true, signal);
        return { name: context.name };
      }
      const number = await askNumber(api, settings, signal).catch(explained);
      const token = await checkRights(context, signal);
      const numbers = await askNumbers(api, settings, signal).catch(noAccount);
      if (!numbers.includes(settings.phoneNumberId)) throw refused(OTHER_ACCOUNT);
      if (number.status && !CONNECTED.includes(number.status)) throw refused(statusWords(number.status));
      const before = await askSubscription(context, api, token?.appId, signal);
      if (isForeign(before.url, doorUrl) && !settings.takeOver) throw refused(FOREIGN(hostOf(before.url)));
      await subscribe(context, api, before.isSubscribed, signal).catch(unreachable);
      // If a number of ours has subscribed the app since, the earlier note still holds.
      const isOurs = before.url !== "" && !isForeign(before.url, doorUrl);
      const noted = isOurs ? (await accountNote(notes)).wasSubscribed : undefined;
      const wasSubscribed = noted ?? before.isSubscribed;
      await rememberAccount(notes, { numbers: numbers.filter((id) => id !== settings.phoneNumberId), wasSubscribed });
      await notes.set([{ key: CHECKED, value: "" }]);
      await offerAppWebhook(context, token?.appId, signal);
      await askForHistory(context, api, signal);
      return { name: nameOf(number) };
    },
    async disconnect(signal) {
      // Leave another server's subscription alone.
      if ((await askSubscription(context, api, undefined, signal)).url !== doorUrl) return;
      await unsubscribe(context, api, (await accountNote(notes)).wasSubscribed ?? false, signal);
    },
    inspect: inspecting(context, (signal) => troubleOf(context, api, signal)),
    async sharing(signal) {
      if (!isMeta) return undefined;
      const { url } = await askSubscription(context, api, undefined, signal);
      const door = url && !isForeign(url, doorUrl) ? new URL(url).pathname.split("/").at(-1) : undefined;
      return { group: sharingGroup(context), door };
    },
    async groups(signal) {
      if (!isMeta) return [];
      const sharing = sharingGroup(context);
      if (!isOperatorsApp(settings, context.server)) return [sharing];
      return [sharing, accountGroup(settings.wabaId), ...(await groupsOfToken(tokenOf(context), signal))];
    },
  };
}

/** Whether the number can send; the reasons why not are given in words. */
const CONNECTED = ["CONNECTED", "FLAGGED", "RESTRICTED", "RATE_LIMITED", "UNKNOWN"];
const NOT_REGISTERED = "this number is not registered for the Cloud API. Register it in WhatsApp Manager";
const OTHER_ACCOUNT = "this phone number ID belongs to another WhatsApp Business account: check both IDs";
const statusWords = (status: NonNullable<PhoneNumber["status"]>) =>
  ["PENDING", "DISCONNECTED", "UNVERIFIED", "UNLINKED"].includes(status)
    ? NOT_REGISTERED
    : `Meta does not let this number send now (${status})`;

/** Undefined where Meta does not answer that. */
async function checkRights(context: Context, signal: AbortSignal): Promise<TokenFacts | undefined> {
  const token = await debugToken(tokenOf(context), signal);
  if (!token) return undefined;
  const missing = missingScopes(token, RIGHTS);
  if (missing.length > 0) throw lacking(missing);
  if (!token.isValid || (token.expiresAt ?? Number.POSITIVE_INFINITY) <= context.clock.now())
    throw new DeliveryError({ type: "reconnect" }, UNKNOWN_TOKEN);
  return token;
}

const UNKNOWN_TOKEN = "Meta does not accept this token. Make a new one for the system user, and paste it here";

/** Explains why the first call with newly typed settings failed. */
function explained(error: unknown): never {
  if (!(error instanceof DeliveryError)) throw error;
  if (error instanceof GraphError && error.refusal.code === 100) throw refused(NO_NUMBER);
  if (error instanceof GraphError && error.verdict.type === "reconnect" && error.refusal.code === 190)
    throw new DeliveryError(error.verdict, UNKNOWN_TOKEN);
  if (error.verdict.type === "reject" || error.verdict.type === "reconnect" || error instanceof GraphError) throw error;
  throw new DeliveryError(error.verdict, "this server cannot reach WhatsApp, or something else answers in its place");
}

const NO_NUMBER =
  "Meta shows this token no such phone number ID: the ID is wrong, or the system user has no access to its account";

function noAccount(error: unknown): never {
  if (error instanceof GraphError && error.refusal.code === 100)
    throw refused(
      "Meta shows this token no such WhatsApp Business Account ID: the ID is wrong, or the system user has no access to it",
    );
  throw error;
}

const FOREIGN = (host: string) =>
  `another server receives this account's messages now (${host}). Disconnect it there, or allow the takeover`;

async function troubleOf(context: Context, api: CloudApi, signal: AbortSignal): Promise<string | undefined> {
  const { settings, doorUrl, notes, clock } = context;
  const token = settings.via === "meta" ? await debugToken(tokenOf(context), signal) : undefined;
  const missing = token?.isValid ? missingScopes(token, [MESSAGING]) : [];
  if (missing.length > 0) throw lacking(missing);
  // Then Meta does not report the subscription either.
  if (token?.isValid && isWithout(token, MANAGEMENT)) return expiryTrouble(token, clock.now()) ?? NO_MANAGEMENT;
  const { url } = await askSubscription(context, api, undefined, signal);
  const hasSiblings = (await accountNote(notes)).numbers.length > 0;
  if (isForeign(url, doorUrl))
    return `another server has taken over this account (${hostOf(url)}) and gets its messages`;
  if (url !== doorUrl && !(url && hasSiblings))
    return "WhatsApp no longer sends this number's messages here: somebody has removed the subscription";
  return token && expiryTrouble(token, clock.now());
}
