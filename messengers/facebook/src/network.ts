import { LINES } from "gangway-meta/messaging/lines";
import { type Echoes, HUMAN_AGENT_MS, type Login, type Network, WINDOW_MS } from "gangway-meta/messaging/network";
import { knownNotes, oursKey } from "gangway-meta/messaging/notes";
import { nameIn } from "gangway-meta/messaging/people";
import { pageGraph } from "./api.ts";
import type { Context } from "./server.ts";

/** Says in an echo which message of which channel it is. */
export const metadataOf = (channelId: string, key: string): string => `gangway:${channelId}:${key}`;

const echoes: Echoes = {
  async ofOurs({ message, channelId }, notes) {
    // Meta's list contains no metadata.
    if (await notes.get(oursKey(message.mid))) return [];
    const own = metadataOf(channelId, "");
    return message.metadata?.startsWith(own) ? knownNotes(message.metadata.slice(own.length), message.mid) : undefined;
  },
};

const network: Network = {
  kind: "facebook",
  title: "Facebook",
  object: "page",
  profileFields: "first_name,last_name,profile_pic",
  listed: { platform: "messenger", fields: "sticker,shares", share: "fallback" },
  customerOf: ({ first_name: first, last_name: last }) => ({
    nickname: nameIn(first, last),
    firstName: nameIn(first) || undefined,
    lastName: nameIn(last) || undefined,
    hasAvatar: true,
  }),
  echoes,
};

export const loginTo = (context: Context): Login & { context: Context } => ({
  network,
  context,
  graph: pageGraph(context),
  ownId: context.settings.pageId,
  lines: LINES[context.settings.language],
  windowMs: context.settings.humanAgent ? HUMAN_AGENT_MS : WINDOW_MS,
});
