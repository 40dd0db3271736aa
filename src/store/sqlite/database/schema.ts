import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

// Portable types: text ids, integer milliseconds, JSON as text. Ids that imply an order are AUTOINCREMENT.

export const meta = sqliteTable("meta", {
  key: text().primaryKey(),
  value: text().notNull(),
});

export const accounts = sqliteTable(
  "account",
  {
    id: text().primaryKey(),
    crmUrl: text("crm_url").notNull(),
    apiKeySealed: text("api_key_sealed").notNull(),
    clientIdHash: text("client_id_hash").notNull(),
    clientIdSealed: text("client_id_sealed").notNull(),
    webhookHash: text("webhook_hash").notNull(),
    webhookSealed: text("webhook_sealed").notNull(),
    gatewayUrl: text("gateway_url").notNull(),
    gatewayTokenSealed: text("gateway_token_sealed").notNull(),
    active: integer({ mode: "boolean" }).notNull(),
    frozen: integer({ mode: "boolean" }).notNull(),
    trouble: text(),
    /** No job for the gateway is claimed before this time. */
    restUntil: integer("rest_until").notNull().default(0),
    /** Calls to the gateway that got no answer and may still arrive, and when that was recorded. */
    unanswered: integer().notNull().default(0),
    unansweredAt: integer("unanswered_at").notNull().default(0),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("account_crm_url").on(t.crmUrl),
    uniqueIndex("account_client_id").on(t.clientIdHash),
    uniqueIndex("account_webhook").on(t.webhookHash),
  ],
);

export const accountLeases = sqliteTable("account_lease", {
  accountId: text("account_id")
    .primaryKey()
    .references(() => accounts.id),
  owner: text().notNull(),
  fence: integer().notNull(),
});

export const channels = sqliteTable(
  "channel",
  {
    id: text().primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => accounts.id),
    kind: text().notNull(),
    name: text().notNull(),
    doorHash: text("door_hash").notNull(),
    doorSealed: text("door_sealed").notNull(),
    settingsSealed: text("settings_sealed").notNull(),
    gatewayChannelId: text("gateway_channel_id"),
    announced: text(),
    unsure: text({ enum: ["resend", "hold"] }).notNull(),
    state: text({ enum: ["active", "stopped", "removed"] }).notNull(),
    trouble: text(),
    /** The trouble last reported to the account's users. */
    reportedTrouble: text("told"),
    /** The login at the messenger. */
    identity: text(),
    epoch: integer().notNull().default(1),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("channel_door").on(t.doorHash),
    uniqueIndex("channel_gateway").on(t.accountId, t.gatewayChannelId),
    uniqueIndex("channel_identity").on(t.identity).where(sql`state <> 'removed'`),
    index("channel_untold").on(t.id).where(sql`coalesce(trouble, '') <> coalesce(told, '')`),
  ],
);

/** Deduplication keys of accepted events. */
export const inbox = sqliteTable(
  "inbox",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    channelId: text("channel_id").notNull(),
    source: text({ enum: ["messenger", "gateway"] }).notNull(),
    dedupeKey: text("dedupe_key").notNull(),
    receivedAt: integer("received_at").notNull(),
  },
  (t) => [uniqueIndex("inbox_key").on(t.channelId, t.source, t.dedupeKey)],
);

/** `in_own_code` of a suspect: our own code runs on it, or it awaits a call after that. 0: not started. */
export const IN_OWN_CODE = 1;
export const BEEN_IN_OWN_CODE = 2;

export const jobs = sqliteTable(
  "job",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    accountId: text("account_id").notNull(),
    channelId: text("channel_id").notNull(),
    direction: text({ enum: ["inbound", "outbound", "ack"] }).notNull(),
    lane: text().notNull(),
    /** 1 on the lane's oldest live job; updated in the transactions that add and end jobs. */
    head: integer().notNull(),
    state: text({ enum: ["ready", "sending", "waiting", "done", "held", "dead", "replayed"] }).notNull(),
    /** For inbound jobs: 1 when the chat is not new. */
    known: integer().notNull().default(0),
    /** The first job of this message, whose id is the idempotency key; NULL on the first job itself. */
    origin: integer(),
    attempts: integer().notNull().default(0),
    unsure: integer().notNull().default(0),
    crashes: integer().notNull().default(0),
    /** Consecutive crashes while our own code ran on it. */
    fatalCrashes: integer("fatal_crashes").notNull().default(0),
    inOwnCode: integer("in_own_code").notNull().default(0),
    /** For a job in doubt: 1 once its call has started. */
    begun: integer().notNull().default(0),
    runAt: integer("run_at").notNull(),
    deadlineAt: integer("deadline_at").notNull(),
    fence: integer().notNull().default(0),
    payload: text().notNull(),
    /** Outbound work: steps and progress. */
    work: text(),
    /** The album whose parts it collects while `ready`. */
    album: text(),
    /** Number of accepted events it carries: several for an album, none for our own notes. */
    events: integer().notNull().default(0),
    errorCode: text("error_code"),
    error: text(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [
    index("job_lane").on(t.lane, t.id).where(sql`state IN ('ready','sending','waiting')`),
    index("job_due").on(t.accountId, t.direction, t.runAt, t.id).where(sql`head = 1 AND state = 'ready'`),
    /** For the round robin over channels and chats when more is due than may be claimed. */
    index("job_channel_due")
      .on(t.channelId, t.direction, t.known, t.runAt, t.id)
      .where(sql`head = 1 AND state = 'ready' AND direction <> 'ack'`),
    index("job_deadline").on(t.deadlineAt).where(sql`state IN ('ready','waiting')`),
    index("job_album").on(t.channelId, t.album).where(sql`album IS NOT NULL AND state = 'ready'`),
    index("job_ended").on(t.accountId, t.id).where(sql`state IN ('held','dead')`),
    index("job_age").on(t.updatedAt).where(sql`state IN ('done','replayed','dead')`),
  ],
);
export type JobRow = typeof jobs.$inferSelect;

/** The ledger: accepted events and owed acks, with sums by outcome; the rest waits in `job`. */
export const tallies = sqliteTable("tally", {
  channelId: text("channel_id").primaryKey(),
  accountId: text("account_id").notNull(),
  accepted: integer().notNull().default(0),
  delivered: integer().notNull().default(0),
  refused: integer().notNull().default(0),
  acksOwed: integer("acks_owed").notNull().default(0),
  acksGiven: integer("acks_given").notNull().default(0),
  acksRefused: integer("acks_refused").notNull().default(0),
});

/** Raw webhooks, sealed, for replay. A row holds the webhooks of one commit, of all accounts. */
export const rawWebhooks = sqliteTable("raw_webhook", {
  id: integer().primaryKey({ autoIncrement: true }),
  sealed: text().notNull(),
  /** Arrival of the row's first webhook. */
  receivedAt: integer("received_at").notNull(),
});

/** The audit log; never holds a secret or message text. */
export const audit = sqliteTable(
  "audit",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    accountId: text("account_id"),
    actor: text({ enum: ["account user", "operator"] }).notNull(),
    action: text().notNull(),
    detail: text().notNull(),
    at: integer().notNull(),
  },
  (t) => [index("audit_account").on(t.accountId, t.id)],
);

/** Message ids at gateway and messenger; one row per part. */
export const messages = sqliteTable(
  "message",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    channelId: text("channel_id").notNull(),
    direction: text({ enum: ["inbound", "outbound"] }).notNull(),
    chat: text().notNull(),
    /** The chat id at the gateway. */
    gatewayChat: text("gateway_chat").notNull(),
    gatewayMessageId: text("gateway_message_id"),
    messengerMessageId: text("messenger_message_id"),
    part: integer().notNull(),
    /** Where the text is; needed for edits. */
    holds: text({ enum: ["text", "caption", "media"] }),
    /** 1: the messenger does not allow edits. */
    fixed: integer(),
    /** Start of the text, to identify the message to the agent. */
    words: text(),
    /** For a resent part: its first id, which the gateway knows. */
    firstId: text("first_id"),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [
    // NULL ids are exempt: a message is stored before the other side assigns one.
    uniqueIndex("message_messenger")
      .on(t.channelId, t.messengerMessageId, t.part)
      .where(sql`messenger_message_id IS NOT NULL`),
    uniqueIndex("message_gateway")
      .on(t.channelId, t.gatewayMessageId, t.part)
      .where(sql`gateway_message_id IS NOT NULL`),
    index("message_chat").on(t.channelId, t.gatewayChat),
    index("message_first").on(t.channelId, t.firstId).where(sql`first_id IS NOT NULL`),
  ],
);

export const notes = sqliteTable(
  "note",
  {
    channelId: text("channel_id").notNull(),
    key: text().notNull(),
    value: text().notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.channelId, t.key] })],
);

export const journal = sqliteTable(
  "journal",
  {
    position: integer().primaryKey({ autoIncrement: true }),
    channelId: text("channel_id").notNull(),
    chat: text().notNull(),
    key: text().notNull(),
    entry: text().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [uniqueIndex("journal_key").on(t.channelId, t.key), index("journal_chat").on(t.channelId, t.chat, t.position)],
);

export const keptFiles = sqliteTable(
  "kept_file",
  {
    channelId: text("channel_id").notNull(),
    id: text().notNull(),
    name: text(),
    mediaType: text("media_type").notNull(),
    size: integer().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.channelId, t.id] })],
);

/** Bytes of kept files by channel and day (UTC). Triggers on `kept_file` maintain it; a file counts as 4 KiB at least. */
export const keptSums = sqliteTable(
  "kept_sum",
  {
    channelId: text("channel_id").notNull(),
    day: integer().notNull(),
    bytes: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.channelId, t.day] })],
);

export const webSessions = sqliteTable("web_session", {
  tokenHash: text("token_hash").primaryKey(),
  accountId: text("account_id")
    .notNull()
    .references(() => accounts.id),
  formToken: text("form_token").notNull(),
  expiresAt: integer("expires_at").notNull(),
});
