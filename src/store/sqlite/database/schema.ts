import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

// Neutral types throughout: text ids, integer milliseconds, JSON as text. Ids that mean a position are AUTOINCREMENT.

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
    /** No job toward the gateway is claimed before this time. */
    restUntil: integer("rest_until").notNull().default(0),
    /** Calls toward the gateway that got no answer and may still arrive there, and when that was last so. */
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
    /** The trouble that the account's users have been told of. */
    told: text(),
    /** Whose login it is at the messenger. */
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

/** What has been accepted, so that a repeat is known. */
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

/** What `in_own_code` says of a suspect whose turn has come. */
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
    /** 1 on the oldest live job of the lane, kept by the transactions that add and end jobs. */
    head: integer().notNull(),
    state: text({ enum: ["ready", "sending", "waiting", "done", "held", "dead", "replayed"] }).notNull(),
    /** Of an inbound job: 1 when its chat has been known for a while. */
    known: integer().notNull().default(0),
    /** The job this one sends again: it lends its idempotency key. */
    origin: integer(),
    attempts: integer().notNull().default(0),
    unsure: integer().notNull().default(0),
    crashes: integer().notNull().default(0),
    /** Crashes in a row that were in our own code on it. */
    fatalCrashes: integer("fatal_crashes").notNull().default(0),
    /** 1 while our own code runs on a suspect, 2 while it waits for somebody else after that; 0 until its turn comes. */
    inOwnCode: integer("in_own_code").notNull().default(0),
    /** Of a job in doubt: 1 once its call has begun. */
    begun: integer().notNull().default(0),
    runAt: integer("run_at").notNull(),
    deadlineAt: integer("deadline_at").notNull(),
    fence: integer().notNull().default(0),
    payload: text().notNull(),
    /** Outbound work: its steps, and how far they went. */
    work: text(),
    /** The album whose parts it gathers as long as it is ready. */
    album: text(),
    /** Accepted events that it carries: the parts of an album, none for what the house says by itself. */
    events: integer().notNull().default(0),
    errorCode: text("error_code"),
    error: text(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [
    index("job_lane").on(t.lane, t.id).where(sql`state IN ('ready','sending','waiting')`),
    index("job_due").on(t.accountId, t.direction, t.runAt, t.id).where(sql`head = 1 AND state = 'ready'`),
    /** For when more is due than may leave: the channels of an account take turns, and so do the chats of a channel. */
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

/** The ledger: sums of accepted events, and of acks owed, by what has become of them; the rest waits in `job`. */
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

/**
 * Webhooks as they came, sealed, so that a window of time can be run again: a row for those of a commit, of all accounts.
 */
export const rawWebhooks = sqliteTable("raw_webhook", {
  id: integer().primaryKey({ autoIncrement: true }),
  sealed: text().notNull(),
  /** When the first of them came. */
  receivedAt: integer("received_at").notNull(),
});

/** What people did; never a secret or a message text. */
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

/** Which gateway message is which messenger message; one row a part. */
export const messages = sqliteTable(
  "message",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    channelId: text("channel_id").notNull(),
    direction: text({ enum: ["inbound", "outbound"] }).notNull(),
    chat: text().notNull(),
    /** The chat as the gateway was told it. */
    gatewayChat: text("gateway_chat").notNull(),
    gatewayMessageId: text("gateway_message_id"),
    messengerMessageId: text("messenger_message_id"),
    part: integer().notNull(),
    /** Where the words are: an edit needs to know. */
    holds: text({ enum: ["text", "caption", "media"] }),
    /** 1: the messenger does not let it be edited. */
    fixed: integer(),
    /** How its words begin, so that it can be named to the agent. */
    words: text(),
    /** Of a part that was sent anew: its first id, by which the gateway knows it. */
    firstId: text("first_id"),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [
    // A message is stored before the side where it goes has named it: what has no name yet takes no place.
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

/** What sessions have to remember. */
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

/** Bytes of kept files by channel and day (UTC). Triggers move it with `kept_file`; a small file counts as 4 KiB of the disk. */
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
