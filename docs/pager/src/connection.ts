import type { ChannelContext, ChannelSession } from "gangway-messenger/port";
import { z } from "zod";
import type { Api } from "./api.ts";
import type { Settings } from "./wire.ts";

type Connection = Required<Pick<ChannelSession, "identify" | "connect" | "disconnect" | "inspect">>;

const me = z.object({ id: z.string(), name: z.string() });
const webhook = z.object({ url: z.string().nullish() });
const done = z.unknown();

/** Subscribes, and finds out whose login it is. */
export function connecting({ doorUrl, settings }: ChannelContext<Settings>, api: Api): Connection {
  const path = "/v1/webhook";
  const isOurs = async (signal: AbortSignal) =>
    (await api({ method: "GET", path, result: webhook }, signal)).url === doorUrl;
  return {
    async identify(signal) {
      const { id, name } = await api({ method: "GET", path: "/v1/me", result: me }, signal);
      return { id: `pager:${id}`, name };
    },
    async connect(signal) {
      const { name } = await api({ method: "GET", path: "/v1/me", result: me }, signal);
      const body = { url: doorUrl, secret: settings.webhookSecret };
      await api({ method: "PUT", path, body, result: done }, signal);
      return { name };
    },
    async disconnect(signal) {
      if (await isOurs(signal)) await api({ method: "DELETE", path, result: done }, signal);
    },
    async inspect(signal) {
      return (await isOurs(signal)) ? undefined : "The exchange does not send messages here any more";
    },
  };
}
