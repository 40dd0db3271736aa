import type { ChannelAdapter } from "gangway-messenger/port";
import * as z from "zod";
import { DEFAULT_BOUNDS } from "./domain/delivery.ts";
import { MARKUPS } from "./domain/markdown.ts";
import {
  bucketUrl,
  crmHosts,
  flag,
  hostProxies,
  integer,
  keyRing,
  link,
  origin,
  trustedProxies,
  webhookSecret,
} from "./setting-values.ts";

/** A setting as shown to people. */
export interface Setting {
  name: string;
  /** One line. */
  help: string;
  /** Heading: the topic, or the messengers that declare the setting. */
  group: string;
  /** As written in the environment. Absent: no default, or one that the help explains. */
  default?: string;
  /** The value is never printed; see `secretsIn`. */
  secret: boolean;
}

const group =
  (title: string) =>
  <T extends z.ZodType>(is: T, help: string, more: { secret?: true } = {}) =>
    is.meta({ group: title, description: help, ...more });

const server = group("The server");
const storage = group("Storage");
const module = group("The module in the CRM");
const updates = group("Messengers");
const watching = group("Log and metrics");
const limits = group("Limits");
const stopping = group("Stopping");
const retention = group("Retention, in days");

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

/** The server's own settings. A default is written as an operator would write it. */
export const environment = z.object({
  PUBLIC_URL: server(
    origin.optional(),
    "This server's public address for the CRM, the gateway and messengers: https, no path. Required outside the sandbox.",
  ),
  HOST: server(z.string().min(1).prefault("0.0.0.0"), "Listening address."),
  PORT: server(integer(0, 65_535).prefault("3000"), "Listening port."),
  TRUSTED_PROXIES: server(
    trustedProxies.optional(),
    "Proxies in front of this server: their number, or their networks such as 10.0.0.0/8,::1. Only their X-Forwarded-For is trusted; without it all clients behind a proxy share the attempts and sockets of one address. 0: no proxy.",
  ),
  SECRET_KEYS: server(
    keyRing.optional(),
    'Keys that seal secrets: <id>:<32 bytes in base64>, several separated by commas. The first seals, all open. Required outside the sandbox. Make one with: echo "k1:$(openssl rand -base64 32)"',
    { secret: true },
  ),
  SANDBOX: server(
    flag.prefault("0"),
    "1: for a machine without a live CRM account. CRM and gateway may run on this machine over http, and a publicly known key seals secrets. Never in production.",
  ),

  DATA_FOLDER: storage(z.string().min(1).prefault("data"), "Folder of database and kept files, on a local disk."),
  ALLOW_REMOTE_FOLDER: storage(
    flag.prefault("0"),
    "1: use the folder even if it looks like a network file system, at the risk of losing data.",
  ),
  DISK_FLOOR_MIB: storage(
    integer(0, 1_048_576).prefault(DEFAULT_BOUNDS.diskFloor / 1024 ** 2),
    "Free space to keep on the folder's disk, MiB. Below it senders get 503; files are refused below twice this value.",
  ),
  DATABASE_URL: storage(
    z
      .string()
      .regex(/^postgres(ql)?:\/\//, "should be an address such as postgres://gangway@db.example.com/gangway")
      .optional(),
    "PostgreSQL (15 or newer) instead of the folder, for several servers on one database: postgres://user:password@host/name",
    { secret: true },
  ),
  FILES_S3_URL: storage(
    bucketUrl.optional(),
    "With PostgreSQL: a bucket for kept files, in a store that speaks S3: https://s3.eu-central-1.amazonaws.com/bucket or http://minio:9000/bucket/folder. Without it they are in the database.",
  ),
  FILES_S3_KEY: storage(
    z.string().min(1).optional(),
    "Access key of the bucket's user, who may put, get and delete objects.",
  ),
  FILES_S3_SECRET: storage(
    z.string().min(8, "should be the secret key that belongs to FILES_S3_KEY").optional(),
    "Secret key of the bucket's user.",
    { secret: true },
  ),
  FILES_S3_REGION: storage(
    z
      .string()
      .regex(/^[a-z\d-]{1,64}$/, "should be a region's name such as eu-central-1")
      .prefault("us-east-1"),
    "The bucket's region.",
  ),

  MODULE_CODE: module(
    z
      .string()
      .regex(/^[\w-]{1,64}$/, "should be the module's symbol code: letters, digits, - and _")
      .prefault("gangway"),
    "The module's symbol code in the marketplace.",
  ),
  MODULE_NAME: module(z.string().min(1).max(255).prefault("Gangway"), "The module's name."),
  MODULE_LOGO_URL: module(
    z.url({ protocol: /^https?$/, error: "should be the address of an SVG picture" }).optional(),
    "Address of the module's SVG logo. Without it: a built-in one.",
  ),
  MODULE_SECRET: module(
    z.string().min(8, "should be the module's secret from the partner cabinet").optional(),
    "The module's secret from the partner cabinet. With it accounts connect from the marketplace in one click (configUrl: PUBLIC_URL/connect).",
    { secret: true },
  ),
  MODULE_COLOR: module(
    z
      .string()
      .regex(/^#[\da-f]{6}$/i, "should be a colour such as #0f5f6b")
      .optional(),
    "Colour of the pages, such as #0f5f6b.",
  ),
  MODULE_SUPPORT_URL: module(link.optional(), "Link to the vendor's support in the pages' header, https: or mailto:."),
  MODULE_PRIVACY_URL: module(link.optional(), "Link to the vendor's privacy policy there, https: or mailto:."),
  EMBEDDING: module(
    flag.prefault("0"),
    "1: an account's CRM may show the account's pages in a frame of its own; nobody else may.",
  ),
  CRM_HOSTS: module(
    crmHosts.prefault(KNOWN_CRM_HOSTS.join(",")),
    "Allowed CRM hosts; * matches one label. Without it: the known domains of hosted accounts.",
  ),
  GATEWAY_MARKUP: module(
    z.enum(MARKUPS, "should be none or markdown").prefault("none"),
    "Notation of formatting in texts at the gateway: none or markdown. It is undocumented: check a live gateway first, as docs/operating.md#formatting explains.",
  ),

  MESSENGERS: updates(
    z.string().optional(),
    "Packages of further messengers that are installed beside this server, comma-separated: gangway-signal,@acme/gangway-line. They run with this server's rights: docs/operating.md#further-messengers. gangway messengers lists them.",
  ),
  UPDATES: updates(
    z.enum(["webhook", "polling"], "should be webhook or polling").prefault("webhook"),
    "How messengers deliver updates, unless a channel sets it: webhook, or polling for a server without a public address.",
  ),

  PROXIES: updates(
    hostProxies.optional(),
    "Proxies that lead to messengers' hosts, where they cannot be reached from here: <host>=<proxy>, comma-separated; http: (CONNECT) and socks5:, with user and password if need be: docs/operating.md#proxies-to-messengers.",
    { secret: true },
  ),

  LOG_LEVEL: watching(
    z
      .enum(["debug", "info", "warn", "error", "silent"], "should be debug, info, warn, error or silent")
      .prefault("info"),
    "debug, info, warn, error or silent. The log is JSON lines on standard output.",
  ),
  METRICS_PORT: watching(
    integer(1, 65_535).optional(),
    "Port of /metrics (Prometheus) and /ledger (JSON). Without it: none.",
  ),
  METRICS_HOST: watching(
    z.string().prefault("127.0.0.1"),
    "Listening address of the metrics. One that other machines reach, as in a container, requires METRICS_TOKEN.",
  ),
  METRICS_TOKEN: watching(
    z.string().min(16, "should have at least 16 characters").optional(),
    "Bearer token that readers of the metrics need.",
    { secret: true },
  ),
  METRICS_CHANNELS: watching(
    flag.prefault("0"),
    "1: /metrics has series of each channel, too: about 16 a channel, for up to some thousand channels.",
  ),
  CONSOLE_PORT: watching(
    integer(1, 65_535).optional(),
    "Port of the console: all accounts, their channels and messages, for the vendor's staff. Without it: none.",
  ),
  CONSOLE_HOST: watching(
    z.string().prefault("127.0.0.1"),
    "Listening address of the console. Reach it through a tunnel, or a proxy that speaks https.",
  ),
  CONSOLE_TOKEN: watching(
    z.string().min(32, "should have at least 32 characters").optional(),
    "What opens the console; needed with CONSOLE_PORT. Make one with: openssl rand -hex 32",
    { secret: true },
  ),
  EVENTS_URL: watching(
    z
      .url({ protocol: /^https?$/, error: "should be an address such as https://vendor.example/gangway-events" })
      .optional(),
    "Where your own system is told of accounts, channels and messages in trouble: docs/operating.md#events. https to a public address, without a port. Without it: nothing is told.",
  ),
  EVENTS_SECRET: watching(
    webhookSecret.optional(),
    'What signs the events, as Standard Webhooks has it: whsec_ and 24 to 64 bytes in base64; needed with EVENTS_URL. Make one with: echo "whsec_$(openssl rand -base64 32)"',
    { secret: true },
  ),
  ACCESS_LOG: watching(
    flag.prefault("0"),
    "1: each answered request is logged, by its route: without secrets, texts and addresses.",
  ),

  WEBHOOK_LIMIT_KIB: limits(integer(16, 16_384).prefault("1024"), "Largest body of a webhook, KiB."),
  FORM_LIMIT_KIB: limits(integer(4, 1024).prefault("64"), "Largest body of a form, KiB."),
  OUTBOUND_PATIENCE_SECONDS: limits(
    integer(5, 3600).prefault("120"),
    "How long an agent's message is retried before its failure is reported.",
  ),
  CALLS_PER_ACCOUNT: limits(integer(1, 64).prefault("8"), "Concurrent calls for one account."),
  CALLS: limits(integer(1, 1024).prefault("256"), "Concurrent calls in total."),
  STREAMS: limits(
    integer(20, 50_000).prefault("4000"),
    "Open streams of visitors and account pages: in total; half of them per channel or account, a twentieth per address. Each takes about 25 KiB and a file descriptor: above 4000, check ulimit -n. A window without one polls.",
  ),
  JOBS_PER_ACCOUNT: limits(
    integer(10, 1_000_000).prefault(DEFAULT_BOUNDS.perAccount),
    "Messages of one account that may wait: three quarters for customers, one quarter for agents; no channel can use up what others need. Beyond that senders get 429 or 503 and retry.",
  ),
  JOBS_PER_CHAT: limits(
    integer(10, 1_000_000).prefault(DEFAULT_BOUNDS.perLane),
    "Messages from agents that may wait in one chat.",
  ),
  JOBS: limits(integer(10, 10_000_000).prefault(DEFAULT_BOUNDS.all), "Messages that may wait in total."),

  STOP_SECONDS: stopping(integer(1, 60).prefault("25"), "How long a stop waits for calls under way."),
  STOP_DELAY_SECONDS: stopping(
    integer(0, 60).prefault("0"),
    "How long a stop keeps the doors open, at least: longer than proxies in front need to see that /health/ready refuses.",
  ),

  KEEP_CONTENTS: retention(
    flag.prefault("1"),
    "0: contents of a message go within a minute of its delivery, instead of RETAIN_DONE_DAYS later, and no webhook is kept for replay; undelivered messages stay as RETAIN_DEAD_DAYS says.",
  ),
  RETAIN_DONE_DAYS: retention(integer(1, 3650).prefault("7"), "Content of delivered messages."),
  RETAIN_DEDUPE_DAYS: retention(
    integer(7, 3650).prefault("90"),
    "Deduplication keys of events, and message id mappings, with the first 80 characters of an agent's message: quotes and edits of older ones find nothing; a chat stays known.",
  ),
  RETAIN_DEAD_DAYS: retention(
    integer(1, 3650).prefault("90"),
    "Undelivered messages; discarded ones stay for a day, in which they can be restored.",
  ),
  RETAIN_CHAT_DAYS: retention(
    integer(1, 3650).prefault("365"),
    "Histories of chats that this server hosts, with their files.",
  ),
  RETAIN_NOTE_DAYS: retention(
    integer(7, 3650).prefault("90"),
    "Data that is learned again, when unused: pictures, open keyboards, the last message of a group member.",
  ),
  RETAIN_AUDIT_DAYS: retention(integer(1, 3650).prefault("730"), "Audit entries."),
  RAW_WEBHOOK_DAYS: retention(integer(0, 30).prefault("3"), "Accepted webhooks, sealed, for gangway replay. 0: none."),
});
export type Environment = z.infer<typeof environment>;

/** The variables that have a value: an empty one counts as absent. */
export const givenIn = (env: Record<string, string | undefined>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));

/** All settings by group: the server's own, then the messengers'. A setting that messengers share is listed once. */
export function settingsOf(adapters: ChannelAdapter[]): Setting[] {
  const declared = adapters.flatMap(({ title, serverSettings }) =>
    serverSettings ? rowsOf(serverSettings, title) : [],
  );
  const titlesOf = (name: string) => declared.filter((row) => row.name === name).map((row) => row.group);
  const all = declared.map((row) => ({ ...row, group: titlesOf(row.name).join(", ") }));
  return [...rowsOf(environment), ...new Map(all.map((row) => [row.name, row])).values()];
}

/** Values of secret settings to mask in the log; of an address only the password, of a key only what follows its id. */
export function secretsIn(env: Record<string, string | undefined>, adapters: ChannelAdapter[]): string[] {
  return settingsOf(adapters)
    .filter(({ secret }) => secret)
    .flatMap(({ name }) => {
      const value = env[name] ?? "";
      if (name === "PROXIES")
        return value.split(",").map((each) => passwordIn(each.slice(each.indexOf("=") + 1).trim()));
      if (name === "SECRET_KEYS") return value.split(",").map((key) => key.slice(key.indexOf(":") + 1));
      return /^\w+:\/\//.test(value) ? passwordIn(value) : value;
    })
    .filter((secret) => secret !== "");
}

/** The password as written in the URL, escapes included. */
const passwordIn = (url: string): string => URL.parse(url)?.password ?? "";

function rowsOf(shape: z.ZodObject, title = ""): Setting[] {
  const { properties = {} } = z.toJSONSchema(shape, { io: "input", unrepresentable: "any" });
  return Object.entries(properties).map(([name, row]) => {
    const { description: help = "", group = title, secret = false, default: value } = Object(row);
    return { name, help, group, secret, default: value === undefined ? undefined : String(value) };
  });
}
