import type { Operation } from "gangway-meta/emulator/graph";
import { listed } from "gangway-meta/emulator/listing";
import type { Platform } from "gangway-meta/emulator/messaging/network";
import { messagingAccount } from "gangway-meta/emulator/messaging/reading";
import { accountById } from "gangway-meta/emulator/messaging/world";
import { needRight, type Token } from "gangway-meta/emulator/tokens";

const LONG_MS = 24 * 3_600_000;

/** A person's token for a page. It ends with a short login's token, and never with a long one's. */
export function pageToken({ core }: Platform, { app, user, rights, expiresAt, issuedAt }: Token, page: string): Token {
  const isLong = expiresAt === undefined || expiresAt - issuedAt > LONG_MS;
  const until = isLong ? undefined : expiresAt;
  const known = core.tokens
    .list()
    .find(
      (each) =>
        each.type === "PAGE" &&
        each.user === user &&
        each.nodes.has(page) &&
        each.expiresAt === until &&
        each.app === app,
    );
  if (known && known.ended === undefined) return known;
  return core.tokens.add({
    app,
    type: "PAGE",
    user,
    rights,
    nodes: [page],
    ...(until !== undefined && { expiresAt: until }),
  });
}

/** GET /me/accounts: the pages that a person let the app use. */
export const pagesOperation = (platform: Platform): Operation => ({
  id: "pages",
  method: "GET",
  path: "/me/accounts",
  run(asked) {
    const token = asked.token();
    needRight(token, "pages_show_list");
    const data = [...token.nodes].flatMap((id) => {
      const page = accountById(platform.world, id);
      if (!page) return [];
      const access_token = pageToken(platform, token, id).value;
      return [{ access_token, category: "Shopping & retail", name: page.name, id, tasks: ["MESSAGING", "MODERATE"] }];
    });
    return listed({ origin: platform.core.origin, path: "me/accounts" }, asked, data);
  },
});

/** GET /{page}/messenger_profile: a page that has set nothing. */
export const profileOperation = (platform: Platform): Operation => ({
  id: "messengerProfile",
  method: "GET",
  path: "/:accountId/messenger_profile",
  run(asked) {
    messagingAccount(platform, asked);
    return { data: [] };
  },
});
