import type { AppAdapter, LoginChoice } from "gangway-messenger/apps";
import { receiveForApp, withoutToken } from "gangway-meta/app";
import { checkApp } from "gangway-meta/app-check";
import { BODY_BYTES } from "gangway-meta/door";
import { personGroup } from "gangway-meta/groups";
import { listAll } from "gangway-meta/list";
import { dialogUrl, loginGraph, longLivedToken, tokenForCode } from "gangway-meta/login";
import { loginsOf } from "gangway-meta/messaging/receiving";
import * as z from "zod";
import { RIGHTS } from "./api.ts";
import type { Server } from "./server.ts";
import { TABLE } from "./verdict.ts";
import { loginOf, type Settings } from "./wire.ts";

const page = z.object({ id: z.string(), name: z.string(), access_token: z.string().nullish() });
const SCOPES = [...RIGHTS, "pages_show_list"];
const OPTIONS = { network: "Messenger", table: TABLE };

/** The operator's app: Facebook Login, and one webhook for all channels. */
export const app: AppAdapter<Settings, Server>["app"] = {
  isSetUp: ({ META_APP_ID, META_APP_SECRET, META_VERIFY_TOKEN }) =>
    Boolean(META_APP_ID && META_APP_SECRET && META_VERIFY_TOKEN),
  bodyLimit: BODY_BYTES,
  receive: (request, { META_APP_ID: appId = "", META_APP_SECRET: secret = "", META_VERIFY_TOKEN: verifyToken = "" }) =>
    receiveForApp(request, {
      secret,
      verifyToken,
      secretName: "META_APP_SECRET",
      loginsOf: loginsOf("facebook"),
      ofPerson: ({ user_id }) => ({ groups: [personGroup(appId, user_id)] }),
    }),
  forget: withoutToken,
  check: (from, signal) => checkApp(from, { ...OPTIONS, graphUrl: from.server.META_GRAPH_URL, object: "page" }, signal),
  login: {
    title: "Facebook",
    authorizeUrl: (to, server) => dialogUrl(to, server, { scopes: SCOPES }),
    async choices(from, signal) {
      const short = await tokenForCode(from, OPTIONS, signal);
      // A page's token lives as long as the person's, and never expires if that one is long-lived.
      const token = await longLivedToken(from, short, OPTIONS, signal);
      const query = { fields: "id,name,access_token" };
      const asked = { path: "me/accounts", query, entry: page, what: "the list of pages" };
      const pages = await listAll(loginGraph(from, token, OPTIONS), asked, signal);
      return pages.flatMap(({ id, name, access_token: own }): LoginChoice[] =>
        own ? [{ login: loginOf(id), name, about: id, settings: { pageId: id, token: own } }] : [],
      );
    },
  },
};
