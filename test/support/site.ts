import type { Call } from "gangway-messenger/call";
import { type Clock, systemClock } from "gangway-messenger/clock";
import type { CreateEmulator } from "gangway-messenger/kit/emulator";
import type { ChannelAdapter } from "gangway-messenger/port";
import { onTestFinished } from "vitest";
import { SANDBOX_KEY } from "../../sandbox/src/crm/rights.ts";
import { createSandbox } from "../../sandbox/src/sandbox.ts";
import { createApp } from "../../src/app.ts";
import type { Config } from "../../src/config.ts";
import { type Bounds, DEFAULT_BOUNDS } from "../../src/domain/delivery.ts";
import { NO_PROXIES, type Proxies } from "../../src/domain/proxies.ts";
import type { Store } from "../../src/store/store.ts";
import { canaryLog, recordPage } from "./canaries.ts";
import { severalCrms } from "./crms.ts";
import { databaseUrl } from "./engine.ts";
import { putNewDatabase } from "./new-database.ts";
import { KEY_RING, RETAIN_DAYS, storeIn, temporaryFolder } from "./store.ts";
import { SETTINGS } from "./unknowns.ts";

export const CRM = "http://127.0.0.1:7001";
export const OWN = "https://gangway.example";

interface SiteChanges {
  /** Wraps or replaces calls to the sandbox. */
  call?: (real: Call) => Call;
  formBytes?: number;
  clock?: Clock;
  trustedProxies?: Proxies;
  metrics?: Config["metrics"];
  console?: Config["console"];
  accessLog?: boolean;
  bounds?: Partial<Bounds>;
  /** Replace the registered messengers and the operator's settings for them. */
  adapters?: ChannelAdapter[];
  messengers?: Config["messengers"];
  /** Of one-click connection. */
  secret?: string;
  brand?: Config["module"]["brand"];
  embedding?: boolean;
  /** Networks of the sandbox beside Telegram's. */
  emulators?: Record<string, CreateEmulator>;
  /** Several processes on one database have one sandbox. */
  databaseUrl?: string;
  sandbox?: ReturnType<typeof createSandbox>;
  updates?: Config["updates"];
  /** Of a server that has ended. */
  folder?: string;
}

/** Settings of an in-process server. */
export async function configOf(folder: string, changes: SiteChanges = {}): Promise<Config> {
  return {
    sandbox: true,
    misspelt: [],
    proxies: [],
    authorities: [],
    host: "127.0.0.1",
    port: 0,
    publicUrl: OWN,
    dataFolder: folder,
    databaseUrl: changes.databaseUrl ?? (await databaseUrl(folder)),
    allowRemoteFolder: false,
    module: {
      ...{ code: "gangway", name: "Gangway", logoUrl: `${OWN}/logo.svg` },
      ...{ secret: changes.secret || undefined, brand: changes.brand },
    },
    embedding: changes.embedding ?? false,
    keyRing: KEY_RING,
    crmHosts: ["*.retailcrm.ru"],
    logLevel: "debug",
    updates: changes.updates ?? "webhook",
    retainDays: RETAIN_DAYS,
    markup: "none",
    messengers: changes.messengers ?? {},
    ...{ rawWebhookDays: 3, keepContents: true },
    accessLog: changes.accessLog ?? false,
    ...{ metrics: changes.metrics, console: changes.console },
    trustedProxies: changes.trustedProxies ?? NO_PROXIES,
    limits: {
      webhookBytes: 64 * 1024,
      formBytes: changes.formBytes ?? 64 * 1024,
      outboundPatienceMs: 60_000,
      callsPerAccount: 8,
      streams: 4_000,
      calls: 64,
      stopMs: 500,
      stopDelayMs: 0,
    },
    bounds: { ...DEFAULT_BOUNDS, ...changes.bounds },
  };
}

/** The account whose cookie this is. */
export const accountIn = (cookie: string | null | undefined): string | undefined =>
  /gangway-([\w-]{22})=/.exec(cookie ?? "")?.[1];

/** With an account's cookie, `/account` stands for the account's own page; in the answers' Location, too. */
export function ownPath(path: string, cookie: string | undefined): string {
  const account = accountIn(cookie);
  const rest = /^\/account(?![^/?]|\/[\w-]{22}(?![\w-]))(.*)$/s.exec(path)?.[1];
  return account !== undefined && rest !== undefined ? `/account/${account}${rest}` : path;
}

function startSandbox({ clock, emulators }: SiteChanges) {
  const started = { origin: () => CRM, moduleUrl: OWN, settings: SETTINGS, now: clock?.now };
  const sandbox = createSandbox({ ...started, emulators });
  onTestFinished(sandbox.stop);
  return sandbox;
}

/** The whole server in this process, with a sandbox as its CRM and gateway and without sockets. */
export async function runningSite(changes: SiteChanges = {}) {
  const sandbox = changes.sandbox ?? startSandbox(changes);
  const folder = changes.folder ?? temporaryFolder();
  if (!changes.folder) putNewDatabase(folder);
  const { call: real, crmAt } = severalCrms(sandbox, OWN);
  const config = await configOf(folder, changes);
  const { log, lines } = canaryLog(folder);
  const { clock = systemClock, adapters } = changes;
  const app = await createApp(config, { log, call: changes.call?.(real) ?? real, clock, adapters });
  await app.start();
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= app.drain().then(app.close);
    return closed;
  };
  onTestFinished(close);
  const ask = async (path: string, init: RequestInit = {}, env: object = {}) => {
    const cookie = new Headers(init.headers).get("cookie") ?? undefined;
    const request = new Request(OWN + ownPath(path, cookie), { redirect: "manual", ...init });
    const response = await app.fetch(request, env);
    const to = response.headers.get("location");
    const account = accountIn(response.headers.get("set-cookie")) ?? accountIn(cookie);
    if (to) response.headers.set("location", to.replace(`/account/${account}`, "/account"));
    if (response.headers.get("content-type")?.startsWith("text/html"))
      recordPage(folder, await response.clone().text());
    return response;
  };
  const submit = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    ask(path, { method: "POST", body: new URLSearchParams(fields), headers: { origin: OWN, ...headers } });
  const cookieOf = (response: Response) => response.headers.get("set-cookie")?.split(";")[0] ?? "";
  const connect = async (apiKey = SANDBOX_KEY) => cookieOf(await submit("/", { crmUrl: CRM, apiKey }));
  const look = async (path: string, cookie: string) => (await ask(path, { headers: { cookie } })).text();
  /** The account's page, and the pages of its channels. */
  const page = async (cookie: string) => {
    const account = await look("/account", cookie);
    const ids = [...account.matchAll(/ data-channel="([\w-]{22})"/g)].map((found) => found[1]);
    const channels = await Promise.all(ids.map((id) => look(`/account/channels/${id}`, cookie)));
    return [account, ...channels].join("\n");
  };
  const formToken = async (cookie: string) => /name="formToken" value="([^"]+)"/.exec(await page(cookie))?.[1] ?? "";
  const addChannel = async (cookie: string, name = "Shop chat") =>
    submit(
      "/account/channels",
      {
        formToken: await formToken(cookie),
        kind: "webchat",
        name,
        "setting.title": "Chat",
        "setting.accent": "#0f5f6b",
      },
      { cookie },
    );
  /** Closes the server and reads its store. */
  const stored = async <T>(look: (store: Store) => Promise<T>): Promise<T> => {
    await close();
    const store = await storeIn(folder);
    return look(store).finally(() => store.close());
  };
  const forms = { ask, submit, cookieOf, connect, page, formToken, addChannel };
  return { app, sandbox, crmAt, folder, lines, close, stored, ...forms };
}
