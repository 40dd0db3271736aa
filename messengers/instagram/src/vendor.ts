import type { AppAdapter, CameBack, LoginChoice } from "gangway-messenger/apps";
import { receiveForApp, withoutToken } from "gangway-meta/app";
import { BODY_BYTES } from "gangway-meta/door";
import { id } from "gangway-meta/envelope";
import { graphClient } from "gangway-meta/graph";
import { loginsOf } from "gangway-meta/messaging/receiving";
import * as z from "zod";
import { COMMENT_RIGHT, RIGHTS } from "./api.ts";
import type { Server } from "./server.ts";
import { issuedNow } from "./token.ts";
import { TABLE } from "./verdict.ts";
import { loginOf, type Settings } from "./wire.ts";

const short = z.object({ access_token: z.string().min(1) });
/** Both shapes occur. */
const bought = z.union([short, z.object({ data: z.array(short).min(1) })]);
const account = z.object({ user_id: id, username: z.string().min(1), name: z.string().nullish() });

/** The operator's app: Instagram Login, and one webhook for all channels. */
export const app: AppAdapter<Settings, Server>["app"] = {
  isSetUp: ({ INSTAGRAM_APP_ID, INSTAGRAM_APP_SECRET, META_VERIFY_TOKEN }) =>
    Boolean(INSTAGRAM_APP_ID && INSTAGRAM_APP_SECRET && META_VERIFY_TOKEN),
  bodyLimit: BODY_BYTES,
  receive: (request, { INSTAGRAM_APP_SECRET: secret = "", META_VERIFY_TOKEN: verifyToken = "" }) =>
    receiveForApp(request, {
      secret,
      verifyToken,
      secretName: "INSTAGRAM_APP_SECRET",
      loginsOf: loginsOf("instagram"),
      ofPerson: ({ user_id }) => ({ logins: [loginOf(user_id)] }),
    }),
  forget: (settings) => ({ ...withoutToken(settings), issued: "" }),
  login: {
    authorizeUrl: ({ redirectUrl, state }, server) =>
      `${server.INSTAGRAM_DIALOG_URL}/oauth/authorize?${new URLSearchParams({
        client_id: server.INSTAGRAM_APP_ID ?? "",
        redirect_uri: redirectUrl,
        state,
        response_type: "code",
        scope: [...RIGHTS, COMMENT_RIGHT].join(","),
      })}`,
    async choices(from, signal) {
      const token = await longToken(from, await shortToken(from, signal), signal);
      const graph = at(from, `${from.server.META_INSTAGRAM_URL}/${from.server.META_API_VERSION}`, token);
      const query = { fields: "user_id,username,name" };
      const request = { method: "GET", path: "me", query, result: account, what: "the account" } as const;
      const { user_id, username, name } = await graph.call(request, signal);
      const settings = { accountId: user_id, token, issued: issuedNow(token, from.clock.now()) };
      const choice: LoginChoice = { login: loginOf(user_id), name: `@${username}`, settings };
      return [{ ...choice, ...(name && { about: name }) }];
    },
  },
};

const at = ({ call, clock, server }: CameBack<Server>, baseUrl: string, token: string) =>
  graphClient({
    call,
    clock,
    network: "Instagram",
    baseUrl,
    headers: token ? { authorization: `Bearer ${token}` } : {},
    secrets: [token, server.INSTAGRAM_APP_SECRET ?? ""],
    table: TABLE,
  });

/** Valid for an hour. */
async function shortToken(from: CameBack<Server>, signal: AbortSignal): Promise<string> {
  const { server, query, redirectUrl } = from;
  const fields = {
    client_id: server.INSTAGRAM_APP_ID ?? "",
    client_secret: server.INSTAGRAM_APP_SECRET ?? "",
    grant_type: "authorization_code",
    redirect_uri: redirectUrl,
    // The address comes back with a fragment, which some browsers send along.
    code: (query.code ?? "").replace(/#_$/, ""),
  };
  const form = { fields, files: [] };
  const request = { method: "POST", path: "oauth/access_token", form, result: bought, what: "the login" } as const;
  const found = await at(from, server.INSTAGRAM_LOGIN_URL, "").call(request, signal);
  return "data" in found ? (found.data[0]?.access_token ?? "") : found.access_token;
}

/** Valid for 60 days. */
async function longToken(from: CameBack<Server>, token: string, signal: AbortSignal): Promise<string> {
  const { server } = from;
  const query = {
    grant_type: "ig_exchange_token",
    client_secret: server.INSTAGRAM_APP_SECRET,
    access_token: token,
  };
  const request = { method: "GET", path: "access_token", query, result: short } as const;
  const what = "the login's long-lived token";
  return (await at(from, server.META_INSTAGRAM_URL, token).call({ ...request, what }, signal)).access_token;
}
