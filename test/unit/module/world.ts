import { type Clock, systemClock } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import type { Features } from "gangway-messenger/features";
import { callFrom } from "gangway-messenger/kit/call";
import { type ChannelAdapter, defineChannel, type LoginFacts } from "gangway-messenger/port";
import { Hono } from "hono";
import { z } from "zod";
import { createPermits } from "../../../src/gateway/limiter.ts";
import { emptyAnswers } from "../../../src/gateway/sending.ts";
import { createChannelActions } from "../../../src/module/channels/channels.ts";
import { createTokenRenewal } from "../../../src/module/connecting/connect.ts";
import { createConnecting } from "../../../src/module/connecting/connecting.ts";
import type { ConnectFault } from "../../../src/module/connecting/key-trial.ts";
import { createCloseChannel } from "../../../src/relay/deliver/reports.ts";
import { createStreams } from "../../../src/relay/sessions/feeds.ts";
import { createGateways, createJournals, createSessions } from "../../../src/relay/sessions/sessions.ts";
import { textOnly } from "../../support/capabilities.ts";
import { silentLog } from "../../support/log.ts";
import { temporaryFolder, temporaryStore } from "../../support/store.ts";
import { inAll } from "../../support/words.ts";

export const SHOP = "https://shop.retailcrm.ru";
const OWN = "https://gangway.example";
const GATEWAY = "https://gateway.example";
export const config = {
  sandbox: false,
  publicUrl: OWN,
  crmHosts: ["*.retailcrm.ru"],
  module: { code: "gangway", name: "Gangway", logoUrl: `${OWN}/logo.svg` },
};

/** The CRM's answer to a registration. */
export const registered = (token: string) => ({
  success: true,
  info: { mgTransport: { endpointUrl: GATEWAY, token } },
});
const EDIT = "POST /api/v5/integration-modules/gangway/edit";

const CRM_ANSWERS: Record<string, object> = {
  "GET /api/api-versions": { success: true, versions: ["4.0", "5.1"] },
  "GET /api/credentials": { success: true, scopes: ["integration_read", "integration_write"] },
  [EDIT]: registered("token-1"),
  "GET /api/v5/integration-modules/gangway": {
    success: true,
    integrationModule: {
      code: "gangway",
      active: true,
      freeze: false,
      integrations: { mgTransport: { token: "token-2" } },
    },
  },
};

type Answer = (request: Request) => Response | Promise<Response>;
export const says =
  (status: number, body: object = {}): Answer =>
  () =>
    Response.json(body, { status });

/** A CRM and a gateway that succeed, unless a test overrides a route. */
function otherSide() {
  const calls: string[] = [];
  const bodies: { route: string; text: string; key?: string }[] = [];
  const answers = new Map<string, Answer>();
  const known = new Map<number, { name: string; externalId: string; active: boolean }>();
  const site = new Hono();
  const gateway: Record<string, (text: string, id: number) => Response> = {
    "POST /channels": (text) => {
      const { name, external_id: externalId } = JSON.parse(text) as { name: string; external_id: string };
      const same = [...known].find(([, channel]) => channel.externalId === externalId)?.[0];
      const id = same ?? known.size + 1;
      known.set(id, { name, externalId, active: true });
      return Response.json({ id });
    },
    "PUT /channels/:id": (text, id) => {
      Object.assign(known.get(id) ?? {}, { name: JSON.parse(text).name });
      return Response.json({ id });
    },
    "DELETE /channels/:id": (_, id) => {
      Object.assign(known.get(id) ?? {}, { active: false });
      return Response.json({ id });
    },
  };
  site.all("*", async (c) => {
    const path = c.req.path.replace("/api/transport/v1", "");
    const route = `${c.req.method} ${path.replace(/\d+$/, ":id").replace("/v:id", "/v5")}`;
    const text = await c.req.raw.clone().text();
    calls.push(route);
    bodies.push({ route, text, key: c.req.header("x-api-key") });
    const answer = answers.get(route);
    if (answer) return answer(c.req.raw);
    const { origin } = new URL(c.req.url);
    if (route === EDIT && origin !== SHOP) return c.json(registered(`token of ${origin}`));
    const own = gateway[route]?.(text, Number(/\d+$/.exec(path)?.[0]));
    return own ?? (CRM_ANSWERS[route] ? c.json(CRM_ANSWERS[route]) : c.json({ errors: ["Not found"] }, 404));
  });
  return { site, calls, bodies, answers, atGateway: () => [...known.values()] };
}

const features = (maxLength: number): Features => ({
  type: "custom",
  text: { creating: "both", maxLength },
  delivered: "none",
  read: "none",
  firstContact: "no",
  afterReplyTimeout: "no",
});

const toySettings = z.object({
  greeting: z.string().max(20).default("Hello"),
  token: z.string().min(5, "a token has 5 characters or more").meta({ secret: true }),
  most: z.number().int().min(1).max(4096).default(100),
  silent: z.boolean().default(false),
  mood: z.enum(["calm", "loud"]).default("calm"),
  note: z.string().max(500).optional(),
  sites: z.array(z.string().max(30)).max(3).default([]),
  ownKey: z.string().default("made-by-the-server").meta({ hidden: true }),
});
export type ToySettings = z.infer<typeof toySettings>;

interface ToyNetwork {
  down?: Error;
  /** Why it does not connect a login, by token. */
  failures: Map<string, DeliveryError>;
  slowMs?: number;
  /** Its credentials expire. */
  renew?(settings: ToySettings): Promise<Record<string, unknown> | undefined>;
  /** What a login is part of. */
  groups?(settings: ToySettings): Promise<string[]>;
  /** The group with one subscription, and the door that has it. */
  sharing?: string;
  door?: string;
  /** What it says of a login. */
  standing?(signal: AbortSignal): Promise<LoginFacts>;
  /** Whether it identifies a token's login. */
  hasLogins?: boolean;
}

/** A messenger with every kind of field, whose network a test can switch off. */
export function toyMessenger(): {
  adapter: ChannelAdapter;
  events: string[];
  network: ToyNetwork;
} {
  const events: string[] = [];
  const network: ToyNetwork = { failures: new Map() };
  const adapter = defineChannel<ToySettings>({
    kind: "toy",
    title: "Toy",
    settings: toySettings,
    words: inAll({}),
    features: ({ most }) => features(most),
    capabilities: () => textOnly(100),
    pace: { perSecond: 10, perChat: () => ({ most: 10, everyMs: 1000 }) },
    sendIdempotency: "none",
    bodyLimit: () => 1000,
    open: ({ settings, doorUrl }) => ({
      ...(network.hasLogins && {
        identify: async () => ({ id: `toy:${settings.token}`, name: `@${settings.token}` }),
      }),
      async connect() {
        if (network.slowMs) await new Promise((resolve) => setTimeout(resolve, network.slowMs));
        if (network.down) throw network.down;
        const failure = network.failures.get(settings.token);
        if (failure) throw failure;
        events.push(`connect ${settings.token}`);
        network.door = doorUrl.split("/").at(-1);
        return { name: "Toy" };
      },
      ...(network.renew && { renew: async () => network.renew?.(settings) }),
      ...(network.groups && { groups: async () => network.groups?.(settings) ?? [] }),
      async sharing() {
        const { sharing: group, door } = network;
        return group === undefined ? undefined : { group, door };
      },
      ...(network.standing && { standing: (signal) => network.standing?.(signal) ?? Promise.reject() }),
      async disconnect() {
        events.push(network.hasLogins ? `disconnect ${settings.token}` : "disconnect");
      },
      receive: async () => ({ events: [], reply: new Response("ok") }),
      send: async () => ({ parts: [{ messengerMessageId: "1" as never, holds: "text" }] }),
    }),
  });
  return { adapter, events, network };
}

export const refusedBy = (words: string) => new DeliveryError({ type: "reject", code: "general" }, words);

/** The module on a real store, with a CRM and a gateway that a test can change. */
export async function moduleWorld(changes: Partial<typeof config> = {}, clock: Clock = systemClock) {
  const other = otherSide();
  const folder = temporaryFolder();
  const store = await temporaryStore(systemClock, folder);
  const call = callFrom(other.site);
  const parts = { config: { ...config, ...changes }, call, store, log: silentLog };
  const connected: string[] = [];
  const { connect: connecting, checkForm } = createConnecting({
    ...{ ...parts, clock },
    connected: async (account) => void connected.push(account.id),
  });
  const connect = (form: { crmUrl: string; apiKey: string; from?: string }) =>
    connecting({ from: "192.0.2.1", ...form });
  const renewToken = createTokenRenewal(parts);
  const gatewayOf = createGateways({ call, clock, permits: createPermits(clock), renewToken, isDone: emptyAnswers() });
  const toy = toyMessenger();
  const journals = createJournals(store);
  const adapters = [toy.adapter];
  const serverOptions = () => ({ updates: "webhook" as const });
  const sessions = createSessions({
    ...{ adapters, store, journals, call, clock, publicUrl: OWN, gatewayOf, serverOptions },
    markup: "none",
    streamsOf: createStreams(10),
  });
  const woken: string[] = [];
  const changed: string[] = [];
  const wake = (account: { id: string }) => void woken.push(account.id);
  const channels = createChannelActions({
    ...parts,
    clock,
    sessions,
    gatewayOf,
    wake,
    changed: (id) => void changed.push(id),
    close: createCloseChannel({ store, gatewayOf, wake, clock }),
  });
  const join = async (crmUrl = SHOP) => {
    const result = await connect({ crmUrl, apiKey: "a-key-that-works" });
    if (!result.ok) throw new Error(result.fault.code);
    return result.account;
  };
  const faultOf = async (form: Partial<Parameters<typeof connect>[0]> = {}): Promise<ConnectFault | undefined> => {
    const result = await connect({ crmUrl: SHOP, apiKey: "a-key-that-works", ...form });
    return result.ok ? undefined : result.fault;
  };
  return {
    folder,
    ...other,
    ...parts,
    connect,
    checkForm: (form: { crmUrl?: string; apiKey?: string } = {}, signal?: AbortSignal) =>
      checkForm({ crmUrl: SHOP, apiKey: "a-key-that-works", from: "192.0.2.1", ...form }, signal),
    connected,
    renewToken,
    channels,
    toy,
    woken,
    changed,
    sessions,
    join,
    faultOf,
    adapters,
    wake,
  };
}
