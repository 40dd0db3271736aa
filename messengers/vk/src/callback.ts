import { pause } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import { fingerprint } from "gangway-messenger/ids";
import * as z from "zod";
import type { Login } from "./login.ts";
import { API_VERSION } from "./wire.ts";

/** Events that are subscribed to; the others stay as they are. */
export const EVENTS = Object.fromEntries(
  [
    ...["message_new", "message_reply", "message_edit", "message_allow", "message_deny", "message_read"],
    ...["message_reaction_event", "message_event"],
  ].map((name) => [name, true]),
);

const server = z.object({
  id: z.int(),
  title: z.string(),
  url: z.string(),
  secret_key: z.string().nullish(),
  status: z.string(),
});
export type CallbackServer = z.infer<typeof server>;
const servers = z.object({ items: z.array(server) });
const added = z.object({ server_id: z.int() });
const done = z.unknown();
const set = z.object({ events: z.record(z.string(), z.unknown()) });

/** How often VK is asked for the confirmation's result, and the pause between, ms. */
const [LOOKS, LOOK_MS] = [8, 1_000];
/** Maximum length of a channel's own part of the title, which has at most fourteen letters. */
const OWN = 6;

/** The channel's own callback server; the community's others are left alone. */
export function callbackServer(login: Login) {
  const { context, api } = login;
  const { doorUrl, settings, channelId, clock } = context;
  // The URL may change; the channel does not.
  const title = `Gangway ${fingerprint(channelId).replaceAll(/[-_]/g, "0").slice(0, OWN)}`;
  const group = async (signal: AbortSignal) => ({ group_id: await login.communityId(signal) });
  const ask = async <Schema extends z.ZodType>(method: string, more: object, result: Schema, signal: AbortSignal) =>
    api.call({ method: `groups.${method}`, params: { ...(await group(signal)), ...more }, result }, signal);
  const address = { url: doorUrl, title, secret_key: settings.webhookSecret };

  const find = async (signal: AbortSignal): Promise<CallbackServer | undefined> => {
    const { items } = await ask("getCallbackServers", {}, servers, signal);
    return items.find((each) => each.title === title);
  };
  const remove = async (id: number, signal: AbortSignal) => {
    await ask("deleteCallbackServer", { server_id: id }, done, signal);
  };
  /** VK asks the URL for the confirmation string. */
  const confirmed = async (signal: AbortSignal): Promise<string | undefined> => {
    for (let look = 0; ; look++) {
      const status = (await find(signal))?.status;
      if (status === "ok" || status === "failed" || look >= LOOKS) return status;
      await pause(clock, LOOK_MS, signal);
      signal.throwIfAborted();
    }
  };
  const make = async (known: CallbackServer | undefined, signal: AbortSignal): Promise<number> => {
    if (!known) return (await ask("addCallbackServer", address, added, signal)).server_id;
    const isRight = known.url === doorUrl && known.secret_key === settings.webhookSecret && known.status === "ok";
    if (!isRight) await ask("editCallbackServer", { server_id: known.id, ...address }, done, signal);
    return known.id;
  };
  return {
    find,
    remove,
    /** Safe to repeat. Leaves nothing behind when it fails. */
    async setUp(signal: AbortSignal): Promise<void> {
      const known = await find(signal);
      const id = await make(known, signal);
      try {
        await ask("setCallbackSettings", { server_id: id, api_version: API_VERSION, ...EVENTS }, done, signal);
        if ((await confirmed(signal)) === "failed")
          throw new DeliveryError({ type: "reject", code: "general" }, UNREACHED(new URL(doorUrl).host));
      } catch (error) {
        if (!known) await remove(id, signal).catch(() => {});
        throw error;
      }
    },
    /** What keeps its events away, in words. */
    async trouble(signal: AbortSignal): Promise<string | undefined> {
      const found = await find(signal);
      if (!found) return "VK no longer sends this community's messages here: somebody has removed the callback server";
      if (found.url !== doorUrl)
        return "VK sends this community's messages to another address: somebody has changed it";
      if (found.status !== "ok") return UNREACHED(new URL(doorUrl).host);
      const { events } = await ask("getCallbackSettings", { server_id: found.id }, set, signal);
      const isOff = Number(events.message_new) !== 1;
      return isOff ? "VK sends no messages here: somebody has switched the event message_new off" : undefined;
    },
  };
}

const UNREACHED = (host: string) => `VK cannot reach this server at ${host}, or something else answers there`;
