import { createHash, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ChannelAdapter, ServerOptions } from "gangway-messenger/port";
import { type Bounds, DEFAULT_BOUNDS } from "./domain/delivery.ts";
import { ConfigError } from "./domain/errors.ts";
import { type HostAuthorities, type HostProxy, matchesHost } from "./domain/host-proxies.ts";
import type { Markup } from "./domain/markdown.ts";
import type { Proxies } from "./domain/proxies.ts";
import type { Brand } from "./domain/vendor.ts";
import { type Misspelt, misspelt } from "./setting-names.ts";
import { KEY_HELP } from "./setting-values.ts";
import { type Environment, environment, givenIn } from "./settings.ts";

/** The server's settings; `readConfig` reads them from the environment. */
export interface Config {
  sandbox: boolean;
  host: string;
  port: number;
  /** Public origin of this server; no trailing slash. */
  publicUrl: string;
  dataFolder: string;
  /** PostgreSQL address; absent: everything is stored in the data folder, in SQLite. */
  databaseUrl?: string;
  /** S3 bucket for kept files, instead of PostgreSQL: its address and credentials. */
  bucket?: { url: string; keyId: string; secret: string; region: string };
  allowRemoteFolder: boolean;
  /** `secret` signs one-click connections. */
  module: { code: string; name: string; logoUrl: string; secret?: string; brand?: Brand };
  /** The account's CRM may show the account's pages in a frame. */
  embedding: boolean;
  keyRing: { keys: { id: string; key: Buffer }[] };
  /** Allowed CRM hosts; `*.example.com` matches exactly one label. */
  crmHosts: string[];
  /** Default for channels that do not set their own mode. */
  updates: "webhook" | "polling";
  /** Markup notation of texts exchanged with the gateway. */
  markup: Markup;
  /** Server settings of each messenger kind, as its adapter declares them. */
  messengers: Record<string, Record<string, unknown>>;
  /** Days to keep accepted webhooks, sealed, for replay; 0 keeps none. */
  rawWebhookDays: number;
  /** Metrics endpoint; a non-loopback host requires a token. Absent: off. */
  metrics?: { host: string; port: number; token?: string; channels?: boolean };
  /** The vendor's console over all accounts. Absent: off. */
  console?: { host: string; port: number; token: string };
  /** Address of the vendor's own system for events, and the key that signs them. */
  events?: { url: string; key: Buffer };
  /** Whether each request is logged. */
  accessLog: boolean;
  /** Whether message contents are kept after delivery, for as long as `retainDays` says. */
  keepContents: boolean;
  /** Retention in days, once nothing needs the data. */
  retainDays: {
    /** Finished jobs. */
    settled: number;
    /** Deduplication keys and message id mappings. */
    dedupe: number;
    dead: number;
    audit: number;
    /** Chats and files of messengers hosted by this server. */
    journal: number;
    notes: number;
  };
  logLevel: "debug" | "info" | "warn" | "error" | "silent";
  /** Proxies whose `X-Forwarded-For` is trusted. Absent: not set, none trusted. */
  trustedProxies?: Proxies;
  limits: {
    /** Largest webhook and form bodies, bytes. */
    webhookBytes: number;
    formBytes: number;
    /** How long to retry an agent's message before reporting failure, ms. */
    outboundPatienceMs: number;
    /** Concurrent calls, per account and in total. */
    callsPerAccount: number;
    calls: number;
    /** Open streams of visitors and account pages, in total. */
    streams: number;
    /** How long a stop waits for running work, ms. */
    stopMs: number;
    /** Minimum time that the doors stay open after the stop signal, ms. */
    stopDelayMs: number;
  };
  bounds: Bounds;
  /** Proxies for calls to messengers' hosts. */
  proxies: HostProxy[];
  /** Certificate authorities that the operator trusts for a messenger's hosts. */
  authorities: HostAuthorities[];
  /** Unknown variables that look like misspelt settings. */
  misspelt: Misspelt[];
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/** Public on purpose: the sandbox holds no real secrets. */
const SANDBOX_KEY = { id: "sandbox", key: createHash("sha256").update("gangway sandbox").digest() };

const SANDBOX_SECRET = "sandbox-secret";

/** Server options of a kind: those that all kinds share, plus its own. */
export const serverOptionsOf =
  ({ updates, messengers }: Pick<Config, "updates" | "messengers">) =>
  (kind: string): ServerOptions => ({ updates, ...messengers[kind] });

/** Throws ConfigError. An empty variable counts as absent. Reads the messenger settings of `adapters`. */
export function readConfig(env: Record<string, string | undefined>, adapters: ChannelAdapter[]): Config {
  const given = givenIn(env);
  const read = environment.safeParse(given);
  const own = adapters.map(({ kind, serverSettings }) => ({ kind, read: serverSettings?.safeParse(given) }));
  const issues = [read, ...own.map((each) => each.read)].flatMap((each) => each?.error?.issues ?? []);
  // Deduplicate: kinds may share a setting.
  const faults = [...new Set(issues.map((issue) => `${issue.path.join(".")} ${issue.message}`))];
  const sandbox = given.SANDBOX === "1" || given.SANDBOX === "true";
  if (!sandbox && !given.SECRET_KEYS)
    faults.push(`SECRET_KEYS is missing: outside the sandbox (SANDBOX=1) it ${KEY_HELP}`);
  if (!sandbox && given.PUBLIC_URL?.startsWith("http:"))
    faults.push("PUBLIC_URL should begin with https:// outside the sandbox");
  faults.push(...bucketFaults(given), ...proxyFaults(read.data?.PROXIES, adapters));
  const messengers = Object.fromEntries(own.map(({ kind, read }) => [kind, read?.data ?? {}]));
  const authorities = authoritiesOf(adapters, messengers, faults);
  faults.push(...tokenFaults(given), ...eventFaults(given, sandbox), ...contentFaults(given));
  if (!sandbox && !given.PUBLIC_URL)
    faults.push(
      "PUBLIC_URL is missing: the address at which the CRM and the messengers reach this server, such as https://gangway.example.com",
    );
  if (!read.success || faults.length > 0) throw new ConfigError(faults);
  const shapes = [environment.shape, ...adapters.map(({ serverSettings }) => serverSettings?.shape ?? {})];
  return {
    ...toConfig(read.data, messengers),
    authorities,
    misspelt: misspelt(Object.keys(given), shapes.flatMap(Object.keys)),
  };
}

/** A bucket needs all of its settings, and PostgreSQL. */
function bucketFaults(given: Record<string, string | undefined>): string[] {
  const own = ["FILES_S3_URL", "FILES_S3_KEY", "FILES_S3_SECRET"];
  if (own.every((name) => given[name] === undefined)) return [];
  const missing = own.filter((name) => given[name] === undefined);
  if (missing.length > 0)
    return [
      `${missing.join(" and ")} ${missing.length > 1 ? "are" : "is"} missing: a bucket for files needs all of ${own.join(", ")}`,
    ];
  if (given.DATABASE_URL !== undefined) return [];
  return ["FILES_S3_URL needs DATABASE_URL: on SQLite files are in DATA_FOLDER"];
}

/** A proxy resolves names itself, bypassing the address guard: allow only hosts that messengers declare. */
function proxyFaults(proxies: HostProxy[] = [], adapters: ChannelAdapter[]): string[] {
  // Commands that need no messengers pass no adapters.
  if (adapters.length === 0) return [];
  const hosts = adapters.flatMap((adapter) => adapter.hosts ?? []);
  const isCalled = ({ host }: HostProxy) => hosts.some((each) => matchesHost(host, each));
  return proxies
    .filter((proxy) => !isCalled(proxy))
    .map(({ host }) => `PROXIES names ${host}, which no messenger here calls; they call ${hosts.join(", ")}`);
}

/** Reads the certificate files that messengers name (`caFile`). Adds to `faults`. */
function authoritiesOf(
  adapters: ChannelAdapter[],
  messengers: Config["messengers"],
  faults: string[],
): HostAuthorities[] {
  return adapters.flatMap(({ kind, hosts = [], caFile }) => {
    const file = caFile?.(messengers[kind] ?? {});
    if (file === undefined) return [];
    try {
      const pem = readFileSync(file, "utf8");
      new X509Certificate(pem);
      return [{ hosts, pem }];
    } catch {
      faults.push(`${file} should be a file with certificates (PEM) that this server can read`);
      return [];
    }
  });
}

function toConfig(env: Environment, messengers: Config["messengers"]): Omit<Config, "misspelt" | "authorities"> {
  const { PUBLIC_URL: publicUrl = `http://127.0.0.1:${env.PORT}` } = env;
  return {
    sandbox: env.SANDBOX,
    host: env.HOST,
    port: env.PORT,
    publicUrl,
    ...{ dataFolder: env.DATA_FOLDER, databaseUrl: env.DATABASE_URL, bucket: bucketOf(env) },
    allowRemoteFolder: env.ALLOW_REMOTE_FOLDER,
    module: {
      code: env.MODULE_CODE,
      name: env.MODULE_NAME,
      logoUrl: env.MODULE_LOGO_URL ?? `${publicUrl}/logo.svg`,
      brand: {
        color: env.MODULE_COLOR,
        logoUrl: env.MODULE_LOGO_URL,
        supportUrl: env.MODULE_SUPPORT_URL,
        privacyUrl: env.MODULE_PRIVACY_URL,
      },
      secret: env.MODULE_SECRET ?? (env.SANDBOX ? SANDBOX_SECRET : undefined),
    },
    embedding: env.EMBEDDING,
    keyRing: env.SECRET_KEYS ?? { keys: [SANDBOX_KEY] },
    crmHosts: env.CRM_HOSTS,
    ...{ updates: env.UPDATES, proxies: env.PROXIES ?? [] },
    markup: env.GATEWAY_MARKUP,
    messengers,
    ...{ rawWebhookDays: env.KEEP_CONTENTS ? env.RAW_WEBHOOK_DAYS : 0, keepContents: env.KEEP_CONTENTS },
    metrics: metricsOf(env),
    console: consoleOf(env),
    events: eventsOf(env),
    accessLog: env.ACCESS_LOG,
    retainDays: {
      settled: env.RETAIN_DONE_DAYS,
      dedupe: env.RETAIN_DEDUPE_DAYS,
      dead: env.RETAIN_DEAD_DAYS,
      audit: env.RETAIN_AUDIT_DAYS,
      journal: env.RETAIN_CHAT_DAYS,
      notes: env.RETAIN_NOTE_DAYS,
    },
    logLevel: env.LOG_LEVEL,
    trustedProxies: env.TRUSTED_PROXIES,
    limits: {
      webhookBytes: env.WEBHOOK_LIMIT_KIB * 1024,
      formBytes: env.FORM_LIMIT_KIB * 1024,
      outboundPatienceMs: env.OUTBOUND_PATIENCE_SECONDS * 1000,
      callsPerAccount: env.CALLS_PER_ACCOUNT,
      calls: env.CALLS,
      streams: env.STREAMS,
      ...{ stopMs: env.STOP_SECONDS * 1000, stopDelayMs: env.STOP_DELAY_SECONDS * 1000 },
    },
    bounds: {
      ...DEFAULT_BOUNDS,
      perAccount: env.JOBS_PER_ACCOUNT,
      perLane: env.JOBS_PER_CHAT,
      all: env.JOBS,
      diskFloor: env.DISK_FLOOR_MIB * 1024 ** 2,
    },
  };
}

/** The console requires a token, and so do metrics on a host that other machines can reach. */
function tokenFaults(env: Record<string, string | undefined>) {
  const { CONSOLE_PORT, CONSOLE_TOKEN, METRICS_PORT, METRICS_HOST, METRICS_TOKEN } = env;
  const make = "make one with: openssl rand -hex 32";
  const isOpen = METRICS_PORT && METRICS_HOST !== undefined && !LOOPBACK.test(METRICS_HOST) && !METRICS_TOKEN;
  return [
    ...(CONSOLE_PORT && !CONSOLE_TOKEN
      ? [`CONSOLE_TOKEN is missing: it opens the console at CONSOLE_PORT; ${make}`]
      : []),
    ...(isOpen
      ? [
          `METRICS_TOKEN is missing: other machines can reach METRICS_HOST ${METRICS_HOST}, so reading the metrics requires a token; ${make}`,
        ]
      : []),
  ];
}

function consoleOf({ CONSOLE_HOST: host, CONSOLE_PORT: port, CONSOLE_TOKEN: token }: Environment): Config["console"] {
  return port === undefined || token === undefined ? undefined : { host, port, token };
}

/** Requires both settings or none; outside the sandbox the URL must be one that outgoing calls may use. */
function eventFaults({ EVENTS_URL, EVENTS_SECRET }: Record<string, string | undefined>, sandbox: boolean): string[] {
  if (!EVENTS_URL && !EVENTS_SECRET) return [];
  if (!EVENTS_SECRET)
    return [
      'EVENTS_SECRET is missing: it signs what EVENTS_URL gets; echo "whsec_$(openssl rand -base64 32)" makes one',
    ];
  if (!EVENTS_URL) return ["EVENTS_URL is missing: EVENTS_SECRET signs what it gets"];
  const url = URL.parse(EVENTS_URL);
  const isAllowed = url?.protocol === "https:" && url.port === "" && url.username === "" && url.password === "";
  return sandbox || isAllowed ? [] : ["EVENTS_URL should begin with https://, without a port and a user name"];
}

/** Raw webhooks hold message contents, so KEEP_CONTENTS=0 rules them out. */
function contentFaults({ KEEP_CONTENTS, RAW_WEBHOOK_DAYS }: Record<string, string | undefined>): string[] {
  const isKept = KEEP_CONTENTS !== "0" && KEEP_CONTENTS !== "false";
  if (isKept || !(Number(RAW_WEBHOOK_DAYS) > 0)) return [];
  return ["RAW_WEBHOOK_DAYS should be 0, or not set, with KEEP_CONTENTS=0: webhooks hold the contents of messages"];
}

function eventsOf({ EVENTS_URL: url, EVENTS_SECRET: key }: Environment): Config["events"] {
  return url !== undefined && key !== undefined ? { url, key } : undefined;
}

function metricsOf(env: Environment): Config["metrics"] {
  const { METRICS_HOST: host, METRICS_PORT: port, METRICS_TOKEN: token, METRICS_CHANNELS: channels } = env;
  return port === undefined ? undefined : { host, port, token, channels };
}

function bucketOf(env: Environment): Config["bucket"] {
  const { FILES_S3_URL: url, FILES_S3_KEY: keyId, FILES_S3_SECRET: secret, FILES_S3_REGION: region } = env;
  return url && keyId && secret ? { url, keyId, secret, region } : undefined;
}
