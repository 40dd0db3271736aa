import { DeliveryError } from "gangway-messenger/errors";
import type { ChannelSession } from "gangway-messenger/port";
import * as z from "zod";
import { callbackServer, EVENTS } from "./callback.ts";
import { type Login, ownCommunity } from "./login.ts";
import { VkError } from "./verdict.ts";
import { API_VERSION, isPolling } from "./wire.ts";

type Connection = Required<Pick<ChannelSession, "identify" | "connect" | "disconnect">> &
  Pick<ChannelSession, "inspect">;

/** Required rights, and those for files: without these, files are sent as links. */
const NEEDED = ["messages", "manage"];
const WISHED = ["photos", "docs"];

const permissions = z.object({ permissions: z.array(z.object({ name: z.string() })) });
const done = z.unknown();

/** Checks the key, and subscribes: by a callback server of its own, or by polling. */
export function connecting(login: Login): Connection {
  const { context, api } = login;
  const server = callbackServer(login);
  const polls = isPolling(context);
  const community = (signal: AbortSignal) => ownCommunity(api, signal).catch(explained);
  return {
    async identify(signal) {
      const { id, name, screen_name: address } = await community(signal);
      return { id: `vk:${id}`, name, link: `https://vk.me/${encodeURIComponent(address || `club${id}`)}` };
    },
    async connect(signal) {
      const { id, name, photo_200: avatarUrl } = await community(signal);
      await checkRights(login, signal);
      if (polls) {
        const params = { group_id: id, enabled: true, api_version: API_VERSION, ...EVENTS };
        await api.call({ method: "groups.setLongPollSettings", params, result: done }, signal);
        await removeOwn(login, signal);
      } else await server.setUp(signal);
      return { name, ...(avatarUrl && { avatarUrl }) };
    },
    // The long poll stays on: another program may use it.
    disconnect: (signal) => removeOwn(login, signal),
    ...(!polls && { inspect: server.trouble }),
  };
}

/** Leaves another server's subscription alone. */
async function removeOwn(login: Login, signal: AbortSignal): Promise<void> {
  const server = callbackServer(login);
  const found = await server.find(signal);
  if (found?.url === login.context.doorUrl) await server.remove(found.id, signal);
}

/** Names of the rights that the key lacks. */
export async function missingRights({ api }: Login, signal: AbortSignal): Promise<string[]> {
  const given = await api.call({ method: "groups.getTokenPermissions", result: permissions }, signal);
  const names = given.permissions.map(({ name }) => name);
  return [...NEEDED, ...WISHED].filter((name) => !names.includes(name));
}

async function checkRights(login: Login, signal: AbortSignal): Promise<void> {
  const missing = (await missingRights(login, signal)).filter((name) => NEEDED.includes(name));
  if (missing.length > 0)
    throw new DeliveryError(
      { type: "reject", code: "general" },
      `this access key lacks a right: ${missing.join(", ")}. Make a new one with all four`,
    );
}

/** Explains why the first call with a newly typed key failed. */
function explained(error: unknown): never {
  if (!(error instanceof DeliveryError)) throw error;
  const { verdict } = error;
  if (verdict.type === "reconnect")
    throw new DeliveryError(verdict, "VK does not recognise this access key. Copy it again, or make a new one");
  if (verdict.type === "reject" || error instanceof VkError) throw error;
  throw new DeliveryError(verdict, "this server cannot reach VK, or something else answers in its place");
}
