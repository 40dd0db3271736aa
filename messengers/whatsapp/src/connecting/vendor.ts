import type { AppAdapter, LoginChoice } from "gangway-messenger/apps";
import { receiveForApp, withoutToken } from "gangway-meta/app";
import { checkApp } from "gangway-meta/app-check";
import type { Graph } from "gangway-meta/graph";
import { personGroup } from "gangway-meta/groups";
import { listAll } from "gangway-meta/list";
import { dialogUrl, loginGraph, tokenForCode } from "gangway-meta/login";
import { appTokenOf } from "gangway-meta/server";
import { GraphError } from "gangway-meta/verdict";
import * as z from "zod";
import { MANAGEMENT, RIGHTS } from "../api.ts";
import { BODY_BYTES, groupsOf, loginsOf } from "../reading/inbound.ts";
import { graphUrlOf, type Server } from "../server.ts";
import { TABLE } from "../verdict.ts";
import { loginOf, type Settings } from "../wire.ts";
import { OBJECT } from "./app-webhook.ts";

const scopes = z.object({
  data: z.object({
    granular_scopes: z
      .array(z.object({ scope: z.string(), target_ids: z.array(z.union([z.string(), z.number()])).nullish() }))
      .nullish(),
  }),
});
const number = z.object({
  id: z.string(),
  display_phone_number: z.string().nullish(),
  verified_name: z.string().nullish(),
});

/** Maximum number of accounts that a login may share. */
const MAX_ACCOUNTS = 50;

const optionsOf = (server: Server) => ({ network: "WhatsApp", table: TABLE, graphUrl: graphUrlOf(server) });

/** The operator's app: Facebook Login for Business, and one webhook for all channels. */
export const app: AppAdapter<Settings, Server>["app"] = {
  isSetUp: ({ META_APP_ID, META_APP_SECRET, META_VERIFY_TOKEN }) =>
    Boolean(META_APP_ID && META_APP_SECRET && META_VERIFY_TOKEN),
  bodyLimit: BODY_BYTES,
  receive: (request, { META_APP_ID: appId = "", META_APP_SECRET: secret = "", META_VERIFY_TOKEN: verifyToken = "" }) =>
    receiveForApp(request, {
      ...{ secret, verifyToken, secretName: "META_APP_SECRET", loginsOf, groupsOf },
      ofPerson: ({ user_id }) => ({ groups: [personGroup(appId, user_id)] }),
    }),
  forget: withoutToken,
  check: (from, signal) => checkApp(from, { ...optionsOf(from.server), object: OBJECT }, signal),
  login: {
    title: "Facebook",
    authorizeUrl: (to, server) => dialogUrl(to, server, { scopes: RIGHTS }),
    async choices(from, signal) {
      const options = optionsOf(from.server);
      const token = await tokenForCode(from, options, signal);
      const graph = loginGraph(from, token, options);
      const all: LoginChoice[] = [];
      for (const account of await accountsOf(graph, token, from.server, signal))
        all.push(...(await numbersOf(graph, { account, token }, signal)));
      return all;
    },
  },
};

/** Ids of the accounts that the person has shared with the app. */
async function accountsOf(graph: Graph, token: string, server: Server, signal: AbortSignal): Promise<string[]> {
  const headers = { authorization: `Bearer ${appTokenOf(server)}` };
  const query = { input_token: token };
  const what = "a question about the login";
  const request = { method: "GET", path: "debug_token", query, headers, result: scopes, what } as const;
  const { data } = await graph.call(request, signal);
  const shared = data.granular_scopes?.filter(({ scope }) => scope === MANAGEMENT) ?? [];
  const ids = shared.flatMap(({ target_ids: ids }) => (ids ?? []).map(String));
  return [...new Set(ids)].slice(0, MAX_ACCOUNTS);
}

async function numbersOf(graph: Graph, { account, token }: { account: string; token: string }, signal: AbortSignal) {
  const query = { fields: "id,display_phone_number,verified_name" };
  const asked = { path: `${account}/phone_numbers`, query, entry: number, what: "a question about the account" };
  // What was shared may not be an account, or may be gone.
  const numbers = await listAll(graph, asked, signal).catch((error: unknown) => {
    if (error instanceof GraphError && error.refusal.code === 100) return [];
    throw error;
  });
  return numbers.map(({ id, display_phone_number: shown, verified_name: name }): LoginChoice => {
    const settings = { via: "meta", token, phoneNumberId: id, wabaId: account };
    return { login: loginOf(id), name: name || shown || id, ...(shown && { about: shown }), settings };
  });
}
