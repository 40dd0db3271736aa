import { LINES } from "gangway-meta/messaging/lines";
import { HUMAN_AGENT_MS, type Login, type Network, WINDOW_MS } from "gangway-meta/messaging/network";
import { nameIn } from "gangway-meta/messaging/people";
import { accountGraph } from "./api.ts";
import { echoes } from "./echoes.ts";
import type { Context } from "./server.ts";

const network: Network = {
  kind: "instagram",
  title: "Instagram",
  object: "instagram",
  profileFields: "name,username,profile_pic",
  listed: { platform: "instagram", fields: "shares,story,is_unsupported", share: "share" },
  customerOf({ name, username }) {
    const handle = nameIn(username);
    return {
      nickname: nameIn(name) || (handle && `@${handle}`),
      ...(nameIn(name) && { firstName: nameIn(name) }),
      ...profileUrl(handle),
      hasAvatar: true,
    };
  },
  echoes,
};

export const profileUrl = (username: string | undefined) =>
  username && /^[\w.]{1,40}$/.test(username) ? { profileUrl: `https://www.instagram.com/${username}` } : {};

export const loginTo = (context: Context): Login & { context: Context } => ({
  network,
  context,
  graph: accountGraph(context),
  ownId: context.settings.accountId,
  lines: LINES[context.settings.language],
  windowMs: context.settings.humanAgent ? HUMAN_AGENT_MS : WINDOW_MS,
});
