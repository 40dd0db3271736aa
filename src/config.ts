import { createHash } from "node:crypto";
import { z } from "zod";
import type { ChannelAdapter } from "./channels/port.ts";
import { adapters as allAdapters } from "./channels/registry.ts";
import { MARKUPS, type Markup } from "./domain/markup.ts";
import { type Bounds, DEFAULT_BOUNDS } from "./domain/overload.ts";
import { type Proxies, parseProxies } from "./domain/proxies.ts";

/** How the server is set up: `readConfig` makes it of the environment. */
export interface Config {
  sandbox: boolean;
  host: string;
  port: number;
  /** Origin under which the world reaches this server; no trailing slash. */
  publicUrl: string;
  dataFolder: string;
  allowRemoteFolder: boolean;
  module: { code: string; name: string; logoUrl: string };
  keyRing: { keys: { id: string; key: Buffer }[] };
  /** Hosts a CRM may live on; `*.example.com` stands for exactly one label. */
  crmHosts: string[];
  /** How messengers' updates come where a channel does not say. */
  updates: "webhook" | "polling";
  /** The notation of formatting inside texts at the gateway. */
  markup: Markup;
  /** By the kind of a messenger: its own settings, as its adapter declares them. */
  messengers: Record<string, Record<string, unknown>>;
  /** How long accepted webhooks are kept, sealed, so that a window of time can be run again; 0: not at all. */
  rawWebhookDays: number;
  /** Where numbers may be read, by this machine alone unless a token is asked for; absent: nowhere. */
  metrics?: { host: string; port: number; token?: string };
  /** Days that things are kept once nothing needs them any more. */
  retainDays: {
    /** Work that is done. */
    settled: number;
    /** Keys by which a repeated event is known, and which message is which. */
    dedupe: number;
    dead: number;
    audit: number;
    /** Chats of messengers that this server hosts itself, with their files. */
    journal: number;
    notes: number;
  };
  logLevel: "debug" | "info" | "warn" | "error" | "silent";
  /** Which proxies are believed where a request came from; absent: none, and nobody has said so. */
  trustedProxies?: Proxies;
  limits: {
    /** Bytes of a webhook or form body. */
    webhookBytes: number;
    formBytes: number;
    /** How long an agent's message is tried before the agent is told that it failed, ms. */
    outboundPatienceMs: number;
    /** Calls under way at once, for one account and for the whole process. */
    callsPerAccount: number;
    calls: number;
    /** How long a stop waits for what is under way, ms. */
    stopMs: number;
  };
  /** How much may wait. */
  bounds: Bounds;
}

/** Every fault of the environment at once, a line each. */
export class ConfigError extends Error {
  readonly faults: string[];
  constructor(faults: string[]) {
    super(`The settings are not right:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
    this.name = "ConfigError";
    this.faults = faults;
  }
}

/** Domains of the CRM's hosted accounts that are publicly known; CRM_HOSTS replaces them. */
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

const flag = z.enum(["0", "1", "true", "false"], "should be 1 or 0").transform((v) => v === "1" || v === "true");
const whole = (least: number, most: number) =>
  z.coerce
    .number(`should be a whole number from ${least} to ${most}`)
    .int(`should be a whole number from ${least} to ${most}`)
    .min(least, `should be a whole number from ${least} to ${most}`)
    .max(most, `should be a whole number from ${least} to ${most}`);

const origin = z
  .string()
  .transform((v) => v.replace(/(?<!\/)\/+$/, ""))
  .refine((v) => URL.canParse(v) && new URL(v).origin === v && /^https?:/.test(v), {
    message: "should be an address such as https://gangway.example.com, without a path",
  });
const KEY_HELP =
  'should be <id>:<32 bytes in base64>, several parted by commas; make one with: echo "k1:$(openssl rand -base64 32)"';
const keyRing = z.string().transform((value, context) => {
  const keys = value.split(",").map((item) => {
    const [id, text = ""] = item.trim().split(":");
    return { id: id ?? "", key: Buffer.from(text, "base64") };
  });
  const distinct = new Set(keys.map((k) => k.id)).size === keys.length;
  if (distinct && keys.every((k) => /^[\w-]{1,32}$/.test(k.id) && k.key.length === 32)) return { keys };
  context.addIssue({ code: "custom", message: KEY_HELP });
  return z.NEVER;
});
const crmHosts = z
  .string()
  .transform((v) => v.split(",").map((host) => host.trim().toLowerCase()))
  .refine((hosts) => hosts.every((host) => /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host)), {
    message: "should be host names parted by commas, such as *.retailcrm.ru,crm.example.com",
  });

const trustedProxies = z.string().transform((value, context) => {
  const proxies = parseProxies(value);
  if (proxies) return proxies;
  context.addIssue({ code: "custom", message: "should be a number of proxies, or networks such as 10.0.0.0/8,::1" });
  return z.NEVER;
});

const environment = z.object({
  SANDBOX: flag.default(false),
  HOST: z.string().min(1).default("0.0.0.0"),
  PORT: whole(0, 65_535).default(3000),
  PUBLIC_URL: origin.optional(),
  DATA_FOLDER: z.string().min(1).default("data"),
  ALLOW_REMOTE_FOLDER: flag.default(false),
  MODULE_CODE: z
    .string()
    .regex(/^[\w-]{1,64}$/, "should be the module's symbol code: letters, digits, - and _")
    .default("gangway"),
  MODULE_NAME: z.string().min(1).max(255).default("Gangway"),
  MODULE_LOGO_URL: z.url("should be the address of an SVG picture").optional(),
  SECRET_KEYS: keyRing.optional(),
  CRM_HOSTS: crmHosts.default(KNOWN_CRM_HOSTS),
  TRUSTED_PROXIES: trustedProxies.optional(),
  UPDATES: z.enum(["webhook", "polling"], "should be webhook or polling").default("webhook"),
  GATEWAY_MARKUP: z.enum(MARKUPS, "should be none or markdown").default("none"),
  RAW_WEBHOOK_DAYS: whole(0, 30).default(3),
  METRICS_HOST: z.string().default("127.0.0.1"),
  METRICS_PORT: whole(1, 65_535).optional(),
  METRICS_TOKEN: z.string().min(16, "should have at least 16 characters").optional(),
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error", "silent"], "should be debug, info, warn, error or silent")
    .default("info"),
  WEBHOOK_LIMIT_KIB: whole(16, 16_384).default(1024),
  FORM_LIMIT_KIB: whole(4, 1024).default(64),
  OUTBOUND_PATIENCE_SECONDS: whole(5, 3600).default(120),
  CALLS_PER_ACCOUNT: whole(1, 64).default(8),
  CALLS: whole(1, 1024).default(64),
  STOP_SECONDS: whole(1, 60).default(25),
  RETAIN_DONE_DAYS: whole(1, 3650).default(7),
  RETAIN_DEDUPE_DAYS: whole(7, 3650).default(90),
  RETAIN_DEAD_DAYS: whole(1, 3650).default(90),
  RETAIN_AUDIT_DAYS: whole(1, 3650).default(730),
  RETAIN_CHAT_DAYS: whole(1, 3650).default(365),
  RETAIN_NOTE_DAYS: whole(7, 3650).default(90),
  JOBS_PER_ACCOUNT: whole(10, 1_000_000).default(DEFAULT_BOUNDS.perAccount),
  JOBS_PER_CHAT: whole(10, 1_000_000).default(DEFAULT_BOUNDS.perLane),
  JOBS: whole(10, 10_000_000).default(DEFAULT_BOUNDS.all),
  DISK_FLOOR_MIB: whole(0, 1_048_576).default(DEFAULT_BOUNDS.diskFloor / 1024 ** 2),
});

/** Addresses that only this machine reaches. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/** Public on purpose: in sandbox mode there is nothing worth sealing. */
const SANDBOX_KEY = { id: "sandbox", key: createHash("sha256").update("gangway sandbox").digest() };

/** Throws ConfigError. An empty variable counts as absent. */
export function readConfig(env: Record<string, string | undefined>, adapters: ChannelAdapter[] = allAdapters): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const read = environment.safeParse(given);
  const own = adapters.map(({ kind, serverSettings = z.object({}) }) => ({ kind, ...serverSettings.safeParse(given) }));
  const issues = [read, ...own].flatMap(({ error }) => error?.issues ?? []);
  const faults = issues.map((issue) => `${issue.path.join(".")} ${issue.message}`);
  const sandbox = given.SANDBOX === "1" || given.SANDBOX === "true";
  if (!sandbox && !given.SECRET_KEYS)
    faults.push(`SECRET_KEYS is missing: outside the sandbox (SANDBOX=1) it ${KEY_HELP}`);
  if (!sandbox && given.PUBLIC_URL?.startsWith("http:"))
    faults.push("PUBLIC_URL should begin with https:// outside the sandbox");
  if (given.METRICS_HOST && !LOOPBACK.test(given.METRICS_HOST) && !given.METRICS_TOKEN)
    faults.push(
      `METRICS_TOKEN is missing: other machines can reach METRICS_HOST ${given.METRICS_HOST}, and whoever reads the metrics there has to say a token; make one with: openssl rand -hex 32`,
    );
  if (!sandbox && !given.PUBLIC_URL)
    faults.push(
      "PUBLIC_URL is missing: the address under which CRM and messengers reach this server, such as https://gangway.example.com",
    );
  if (!read.success || faults.length > 0) throw new ConfigError(faults);
  return toConfig(read.data, Object.fromEntries(own.map(({ kind, data = {} }) => [kind, data])));
}

function toConfig(env: z.infer<typeof environment>, messengers: Config["messengers"]): Config {
  const publicUrl = env.PUBLIC_URL ?? `http://127.0.0.1:${env.PORT}`;
  return {
    sandbox: env.SANDBOX,
    host: env.HOST,
    port: env.PORT,
    publicUrl,
    dataFolder: env.DATA_FOLDER,
    allowRemoteFolder: env.ALLOW_REMOTE_FOLDER,
    module: { code: env.MODULE_CODE, name: env.MODULE_NAME, logoUrl: env.MODULE_LOGO_URL ?? `${publicUrl}/logo.svg` },
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
      stopMs: env.STOP_SECONDS * 1000,
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
