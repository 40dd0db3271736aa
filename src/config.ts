import { createHash } from "node:crypto";
import * as z from "zod";
import type { ChannelAdapter } from "./channels/port.ts";
import type { Brand } from "./domain/brand.ts";
import { ConfigError } from "./domain/errors.ts";
import { MARKUPS, type Markup } from "./domain/markup.ts";
import { type Bounds, DEFAULT_BOUNDS } from "./domain/overload.ts";
import type { Proxies } from "./domain/proxies.ts";
import { type Misspelt, misspelt } from "./setting-names.ts";
import {
  bucketUrl,
  crmHosts,
  flag,
  integer,
  KEY_HELP,
  keyRing,
  link,
  origin,
  trustedProxies,
} from "./setting-values.ts";

/** The server's settings; `readConfig` reads them from the environment. */
export interface Config {
  sandbox: boolean;
  host: string;
  port: number;
  /** Public origin of this server; no trailing slash. */
  publicUrl: string;
  dataFolder: string;
  /** Of PostgreSQL; absent: everything is stored in the folder, in SQLite. */
  databaseUrl?: string;
  /** Where kept files are, instead of PostgreSQL: the address of a bucket, and who may use it. */
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
  metrics?: { host: string; port: number; token?: string };
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
    /** How long the doors stay open after the signal to stop, at least, ms. */
    stopDelayMs: number;
  };
  bounds: Bounds;
  /** Variables that are no settings but look like one. */
  misspelt: Misspelt[];
}

/** Publicly known domains of hosted CRM accounts; CRM_HOSTS replaces them. */
const KNOWN_CRM_HOSTS = [
  "*.retailcrm.ru",
  "*.retailcrm.pro",
  "*.retailcrm.es",
  "*.simla.com",
  "*.simla.io",
  "*.simlachat.com",
  "*.simlachat.ru",
  "*.ecomlogic.com",
];

const environment = z.object({
  SANDBOX: flag.default(false),
  HOST: z.string().min(1).default("0.0.0.0"),
  PORT: integer(0, 65_535).default(3000),
  PUBLIC_URL: origin.optional(),
  DATA_FOLDER: z.string().min(1).default("data"),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "should be an address such as postgres://gangway@db.example.com/gangway")
    .optional(),
  FILES_S3_URL: bucketUrl.optional(),
  FILES_S3_KEY: z.string().min(1).optional(),
  FILES_S3_SECRET: z.string().min(8, "should be the secret key that belongs to FILES_S3_KEY").optional(),
  FILES_S3_REGION: z
    .string()
    .regex(/^[a-z\d-]{1,64}$/, "should be a region's name such as eu-central-1")
    .default("us-east-1"),
  ALLOW_REMOTE_FOLDER: flag.default(false),
  MODULE_CODE: z
    .string()
    .regex(/^[\w-]{1,64}$/, "should be the module's symbol code: letters, digits, - and _")
    .default("gangway"),
  MODULE_NAME: z.string().min(1).max(255).default("Gangway"),
  MODULE_LOGO_URL: z.url({ protocol: /^https?$/, error: "should be the address of an SVG picture" }).optional(),
  MODULE_COLOR: z
    .string()
    .regex(/^#[\da-f]{6}$/i, "should be a colour such as #0f5f6b")
    .optional(),
  MODULE_SUPPORT_URL: link.optional(),
  MODULE_PRIVACY_URL: link.optional(),
  MODULE_SECRET: z.string().min(8, "should be the module's secret from the partner cabinet").optional(),
  EMBEDDING: flag.default(false),
  SECRET_KEYS: keyRing.optional(),
  CRM_HOSTS: crmHosts.default(KNOWN_CRM_HOSTS),
  TRUSTED_PROXIES: trustedProxies.optional(),
  UPDATES: z.enum(["webhook", "polling"], "should be webhook or polling").default("webhook"),
  GATEWAY_MARKUP: z.enum(MARKUPS, "should be none or markdown").default("none"),
  RAW_WEBHOOK_DAYS: integer(0, 30).default(3),
  METRICS_HOST: z.string().default("127.0.0.1"),
  METRICS_PORT: integer(1, 65_535).optional(),
  METRICS_TOKEN: z.string().min(16, "should have at least 16 characters").optional(),
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error", "silent"], "should be debug, info, warn, error or silent")
    .default("info"),
  WEBHOOK_LIMIT_KIB: integer(16, 16_384).default(1024),
  FORM_LIMIT_KIB: integer(4, 1024).default(64),
  OUTBOUND_PATIENCE_SECONDS: integer(5, 3600).default(120),
  CALLS_PER_ACCOUNT: integer(1, 64).default(8),
  CALLS: integer(1, 1024).default(256),
  STREAMS: integer(20, 50_000).default(4_000),
  STOP_SECONDS: integer(1, 60).default(25),
  STOP_DELAY_SECONDS: integer(0, 60).default(0),
  RETAIN_DONE_DAYS: integer(1, 3650).default(7),
  RETAIN_DEDUPE_DAYS: integer(7, 3650).default(90),
  RETAIN_DEAD_DAYS: integer(1, 3650).default(90),
  RETAIN_AUDIT_DAYS: integer(1, 3650).default(730),
  RETAIN_CHAT_DAYS: integer(1, 3650).default(365),
  RETAIN_NOTE_DAYS: integer(7, 3650).default(90),
  JOBS_PER_ACCOUNT: integer(10, 1_000_000).default(DEFAULT_BOUNDS.perAccount),
  JOBS_PER_CHAT: integer(10, 1_000_000).default(DEFAULT_BOUNDS.perLane),
  JOBS: integer(10, 10_000_000).default(DEFAULT_BOUNDS.all),
  DISK_FLOOR_MIB: integer(0, 1_048_576).default(DEFAULT_BOUNDS.diskFloor / 1024 ** 2),
});

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/** Public on purpose: the sandbox holds no real secrets. */
const SANDBOX_KEY = { id: "sandbox", key: createHash("sha256").update("gangway sandbox").digest() };

const SANDBOX_SECRET = "sandbox-secret";

/** Throws ConfigError. An empty variable counts as absent. Reads the messenger settings of `adapters`. */
export function readConfig(env: Record<string, string | undefined>, adapters: ChannelAdapter[]): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const read = environment.safeParse(given);
  const own = adapters.map(({ kind, serverSettings = z.object({}) }) => ({ kind, ...serverSettings.safeParse(given) }));
  const issues = [read, ...own].flatMap(({ error }) => error?.issues ?? []);
  // Kinds may share a setting.
  const faults = [...new Set(issues.map((issue) => `${issue.path.join(".")} ${issue.message}`))];
  const sandbox = given.SANDBOX === "1" || given.SANDBOX === "true";
  if (!sandbox && !given.SECRET_KEYS)
    faults.push(`SECRET_KEYS is missing: outside the sandbox (SANDBOX=1) it ${KEY_HELP}`);
  if (!sandbox && given.PUBLIC_URL?.startsWith("http:"))
    faults.push("PUBLIC_URL should begin with https:// outside the sandbox");
  faults.push(...bucketFaults(given));
  if (given.METRICS_HOST && !LOOPBACK.test(given.METRICS_HOST) && !given.METRICS_TOKEN)
    faults.push(
      `METRICS_TOKEN is missing: other machines can reach METRICS_HOST ${given.METRICS_HOST}, so reading the metrics requires a token; make one with: openssl rand -hex 32`,
    );
  if (!sandbox && !given.PUBLIC_URL)
    faults.push(
      "PUBLIC_URL is missing: the address at which the CRM and the messengers reach this server, such as https://gangway.example.com",
    );
  if (!read.success || faults.length > 0) throw new ConfigError(faults);
  const shapes = [environment.shape, ...adapters.map(({ serverSettings }) => serverSettings?.shape ?? {})];
  return {
    ...toConfig(read.data, Object.fromEntries(own.map(({ kind, data = {} }) => [kind, data]))),
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

function toConfig(env: z.infer<typeof environment>, messengers: Config["messengers"]): Omit<Config, "misspelt"> {
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
    updates: env.UPDATES,
    markup: env.GATEWAY_MARKUP,
    messengers,
    rawWebhookDays: env.RAW_WEBHOOK_DAYS,
    metrics:
      env.METRICS_PORT === undefined
        ? undefined
        : { host: env.METRICS_HOST, port: env.METRICS_PORT, token: env.METRICS_TOKEN },
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

function bucketOf(env: z.infer<typeof environment>): Config["bucket"] {
  const { FILES_S3_URL: url, FILES_S3_KEY: keyId, FILES_S3_SECRET: secret, FILES_S3_REGION: region } = env;
  return url && keyId && secret ? { url, keyId, secret, region } : undefined;
}
