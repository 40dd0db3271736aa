import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

// Types that both engines have: text ids, integer milliseconds, JSON as text. Ids that imply an order are
// AUTOINCREMENT.

export const meta = sqliteTable("meta", {
  key: text().primaryKey(),
  value: text().notNull(),
});

export const accounts = sqliteTable(
  "account",
  {
    id: text().primaryKey(),
    crmUrl: text("crm_url").notNull(),
    technicalUrl: text("technical_url"),
    apiKeySealed: text("api_key_sealed").notNull(),
    clientIdHash: text("client_id_hash").notNull(),
    clientIdSealed: text("client_id_sealed").notNull(),
    webhookHash: text("webhook_hash").notNull(),
    webhookSealed: text("webhook_sealed").notNull(),
    gatewayUrl: text("gateway_url").notNull(),
    gatewayTokenSealed: text("gateway_token_sealed").notNull(),
    active: integer({ mode: "boolean" }).notNull(),
    frozen: integer({ mode: "boolean" }).notNull(),
    language: text(),
    timeZone: text("time_zone"),
    /** Actions last registered at the CRM, as JSON; NULL: registered by a version that did not record them. */
    registered: text(),
    trouble: text(),
    /** Why the vendor has paused the account; NULL: not paused. */
    pauseReason: text("pause_reason"),
    /** Limits that override the server's. JSON. */
    limits: text(),
    /** No job for the gateway is claimed before this time. */
    restUntil: integer("rest_until").notNull().default(0),
    /** Number of gateway calls that got no answer and may still arrive; the next column is when that was recorded. */
    unanswered: integer().notNull().default(0),
    unansweredAt: integer("unanswered_at").notNull().default(0),
    /** When each of them started. JSON; see `startsOf`. */
    unansweredCalls: text("unanswered_calls").notNull().default(""),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("account_crm_url").on(t.crmUrl),
    index("account_technical_url").on(t.technicalUrl),
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
    state: text({ enum: ["active", "paused", "stopped", "removed"] }).notNull(),
    trouble: text(),
    /** Since when it has been stopped or in trouble. */
    troubleAt: integer("trouble_at"),
    /** Why the vendor has paused the channel; NULL: not paused. */
    pauseReason: text("pause_reason"),
    /** The trouble last reported to the account's users. */
    reportedTrouble: text("told"),
    /** The login at the messenger. */
    identity: text(),
    /** Link by which customers start a chat. */
    link: text(),
    /** Groups the login belongs to at the messenger. */
    memberOf: text("member_of", { mode: "json" }).$type<string[]>(),
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

/** `in_own_code` of a suspect: 1 while our own code runs on it, 2 while it awaits a call after that. 0: not started. */
export const IN_OWN_CODE = 1;
export const BEEN_IN_OWN_CODE = 2;

/** One row for each message, edit, deletion, reaction, read mark and note: content, ids, remaining work, ack owed. */
export const messages = sqliteTable(
  "message",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    accountId: text("account_id").notNull(),
    channelId: text("channel_id").notNull(),
    direction: text({ enum: ["inbound", "outbound"] }).notNull(),
    /** The type of its event or act. */
    kind: text(),
    /** The messenger's id of the chat. */
    chat: text(),
    /** Equal only for repeats of the same event; NULL on our own notes. */
    dedupeKey: text("dedupe_key"),
    /** Number of accepted events: 0 for our own notes. */
    events: integer().notNull().default(0),
    gatewayMessageId: text("gateway_message_id"),
    /** This and the next four columns describe the first part; further parts are in `part`. */
    messengerMessageId: text("messenger_message_id"),
    /** The first part's id as the gateway knows it, if different. */
    firstId: text("first_id"),
    /** Which part of the messenger's message holds the text; needed for edits. */
    holds: text({ enum: ["text", "caption", "media", "template"] }),
    /** 1: the messenger does not allow edits. */
    fixed: integer(),
    /** Start of the text, to identify the message to the agent. */
    words: text(),
    /** `carried`: a part of the album `carrier`. `dropped`: dead, and no longer listed; restorable while it has its payload. */
    state: text({
      enum: ["ready", "sending", "waiting", "done", "held", "dead", "carried", "dropped"],
    }).notNull(),
    carrier: integer(),
    /** The album it collects parts for while `ready`. */
    album: text(),
    /** Order in the lane: the id, until it is sent again. */
    position: integer().notNull(),
    /** 1 on the lane's oldest live message. */
    head: integer().notNull().default(0),
    /** Inbound: 1 when the chat is not new and the message came by itself. */
    known: integer().notNull().default(0),
    attempts: integer().notNull().default(0),
    unsure: integer().notNull().default(0),
    crashes: integer().notNull().default(0),
    /** Consecutive crashes while our own code ran on it. */
    fatalCrashes: integer("fatal_crashes").notNull().default(0),
    inOwnCode: integer("in_own_code").notNull().default(0),
    /** In doubt: the earliest time its next step may have been carried out; NULL: it was not. */
    doubtAt: integer("doubt_at"),
    /** In doubt: 1 once its call has started. */
    begun: integer().notNull().default(0),
    runAt: integer("run_at").notNull().default(0),
    deadlineAt: integer("deadline_at").notNull().default(0),
    fence: integer().notNull().default(0),
    /** The event or act; NULL once retention has removed it. */
    payload: text(),
    /** Outbound: steps and progress, where there is more than one step. */
    work: text(),
    /** JSON: when attempts failed, ms, and why; the first and the latest. */
    tries: text(),
    errorCode: text("error_code"),
    error: text(),
    /** What the gateway is owed or was told; NULL: nothing. A new outcome raises `ack_version`. */
    ack: text({ enum: ["due", "sending", "given", "refused"] }),
    ackBody: text("ack_body"),
    ackVersion: integer("ack_version").notNull().default(0),
    ackAttempts: integer("ack_attempts").notNull().default(0),
    /** When the ack is due, or when it was given or refused. */
    ackAt: integer("ack_at"),
    ackDeadlineAt: integer("ack_deadline_at"),
    ackFence: integer("ack_fence"),
    ackError: text("ack_error"),
    /** JSON, as `tries`: when the gateway could not be told, and why. */
    ackTries: text("ack_tries"),
    createdAt: integer("created_at").notNull(),
    /** When delivery ended. Unlike `updated_at`, acks and edits do not move it. */
    endedAt: integer("ended_at"),
    /** Late failure: when the messenger's failure of an accepted message was recorded. */
    lateAt: integer("late_at"),
    /** When a person discarded the message, or its refused ack; NULL once it is restored or its content is gone. */
    discardedAt: integer("discarded_at"),
    /** Raised when a late failure is sent again: the messenger remembers the old key. */
    generation: integer().notNull().default(0),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("message_key").on(t.channelId, t.direction, t.dedupeKey).where(sql`dedupe_key IS NOT NULL`),
    // NULL ids are exempt: a message is stored before the other side assigns one.
    uniqueIndex("message_messenger_id")
      .on(t.channelId, t.messengerMessageId)
      .where(sql`messenger_message_id IS NOT NULL`),
    uniqueIndex("message_gateway_id").on(t.channelId, t.gatewayMessageId).where(sql`gateway_message_id IS NOT NULL`),
    index("message_first").on(t.channelId, t.firstId).where(sql`first_id IS NOT NULL`),
    index("message_chat").on(t.channelId, t.chat),
    index("message_carrier").on(t.carrier).where(sql`carrier IS NOT NULL`),
    index("message_lane")
      .on(t.channelId, t.direction, t.chat, t.position)
      .where(sql`state IN ('ready','sending','waiting')`),
    /** For the round robin over channels and chats when more is due than may be claimed. */
    index("message_channel_due")
      .on(t.channelId, t.direction, t.known, t.runAt, t.id)
      .where(sql`head = 1 AND state = 'ready'`),
    index("message_deadline").on(t.deadlineAt).where(sql`state IN ('ready','waiting')`),
    index("message_album").on(t.channelId, t.album).where(sql`album IS NOT NULL AND state = 'ready'`),
    /** Covers the counts that the account's pages show. */
    index("message_ended")
      .on(t.accountId, t.id, t.state, t.ack, t.channelId, t.errorCode, t.events, t.album, t.kind)
      .where(sql`state IN ('held','dead') OR ack = 'refused'`),
    index("message_ack").on(t.accountId, t.ack, t.ackAt).where(sql`ack IN ('due','sending')`),
    index("message_discarded").on(t.discardedAt, t.accountId).where(sql`discarded_at IS NOT NULL`),
    index("message_age").on(t.updatedAt).where(sql`state IN ('done','dead') AND payload IS NOT NULL`),
  ],
);
export type MessageRow = typeof messages.$inferSelect;

/** Second and later parts of messages that became several at the messenger. */
export const parts = sqliteTable(
  "part",
  {
    messageId: integer("message_id")
      .notNull()
      .references(() => messages.id, { onDelete: "cascade" }),
    part: integer().notNull(),
    channelId: text("channel_id").notNull(),
    messengerMessageId: text("messenger_message_id").notNull(),
    firstId: text("first_id"),
    holds: text({ enum: ["text", "caption", "media", "template"] }),
    fixed: integer(),
    words: text(),
    sentAt: integer("sent_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.messageId, t.part] }),
    uniqueIndex("part_messenger").on(t.channelId, t.messengerMessageId),
    index("part_first").on(t.channelId, t.firstId).where(sql`first_id IS NOT NULL`),
  ],
);

/** Every chat that has had a message: agents may write only to known chats. */
export const chats = sqliteTable(
  "chat",
  {
    channelId: text("channel_id").notNull(),
    /** The gateway's id of the chat: the messenger's, or its digest. */
    gatewayChat: text("gateway_chat").notNull(),
    chat: text().notNull(),
    /** When it had its first message. */
    createdAt: integer("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.channelId, t.gatewayChat] })],
);

/** The ledger: accepted events and owed acks, with sums by outcome; the rest waits in `message`. */
export const tallies = sqliteTable("tally", {
  channelId: text("channel_id").primaryKey(),
  accountId: text("account_id").notNull(),
  accepted: integer().notNull().default(0),
  delivered: integer().notNull().default(0),
  refused: integer().notNull().default(0),
  acksOwed: integer("acks_owed").notNull().default(0),
  acksGiven: integer("acks_given").notNull().default(0),
  acksRefused: integer("acks_refused").notNull().default(0),
  /** Delivered and refused messages only: no edits, reactions, read marks and the like. */
  messagesDelivered: integer("messages_delivered").notNull().default(0),
  messagesRefused: integer("messages_refused").notNull().default(0),
  /** When the last message of a customer (inbound) or agent (outbound) was accepted; a few minutes late. */
  lastInboundAt: integer("last_inbound_at"),
  lastOutboundAt: integer("last_outbound_at"),
});

/** The sums of messages at the end of each hour in which one changed. */
export const traffic = sqliteTable(
  "traffic",
  {
    channelId: text("channel_id").notNull(),
    /** Hours since 1970. */
    hour: integer().notNull(),
    delivered: integer().notNull(),
    refused: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.channelId, t.hour] })],
);

/** Raw webhooks, sealed, for replay. A row holds the webhooks of one commit, of all accounts. */
export const rawWebhooks = sqliteTable("raw_webhook", {
  id: integer().primaryKey({ autoIncrement: true }),
  sealed: text().notNull(),
  /** Arrival of the row's first webhook. */
  receivedAt: integer("received_at").notNull(),
});

/** Parts of requests that no channel could take yet. */
export const parked = sqliteTable(
  "parked",
  {
    position: integer().primaryKey({ autoIncrement: true }),
    /** Equal for repeats of the same part. */
    id: text().notNull(),
    login: text().notNull(),
    /** Whose quota it counts against: the account's id, or `?` and its origin if no channel has the login. */
    owner: text().notNull(),
    channelId: text("channel_id"),
    /** The channel's account; without a channel, the account whose app forwarded it. */
    accountId: text("account_id"),
    /** Bytes of the request. */
    size: integer().notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    /** Last column, since it may be long. */
    sealed: text().notNull(),
  },
  (t) => [
    uniqueIndex("parked_id").on(t.id),
    index("parked_login").on(t.login, t.position),
    // Includes the size, for sums.
    index("parked_owner").on(t.owner, t.position, t.size),
  ],
);

/** The audit log; never holds a secret or message text. */
export const audit = sqliteTable(
  "audit",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    accountId: text("account_id"),
    actor: text({ enum: ["account user", "operator", "crm", "customer"] }).notNull(),
    action: text().notNull(),
    detail: text().notNull(),
    at: integer().notNull(),
  },
  (t) => [index("audit_account").on(t.accountId, t.id)],
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
    /** The chat it was uploaded for, since nothing else names a file that is never sent. NULL: unknown. */
    chat: text(),
  },
  (t) => [
    primaryKey({ columns: [t.channelId, t.id] }),
    index("kept_file_chat").on(t.channelId, t.chat).where(sql`chat IS NOT NULL`),
  ],
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
  startedAt: integer("started_at").notNull().default(0),
  /** Display name, from the user agent. */
  browser: text(),
  /** Support sessions only: fixed end. */
  endsAt: integer("ends_at"),
});

/** Events for the vendor's own system, in the order they leave. Triggers in the migrations write most of them. */
export const vendorEvents = sqliteTable(
  "vendor_event",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** Lets the receiver recognize a repeat. */
    uid: text().notNull(),
    accountId: text("account_id"),
    type: text().notNull(),
    /** JSON; each repeat sends the same bytes. */
    body: text().notNull(),
    createdAt: integer("created_at").notNull(),
    runAt: integer("run_at").notNull().default(0),
    attempts: integer().notNull().default(0),
    error: text(),
    state: text({ enum: ["due", "delivered", "given up"] })
      .notNull()
      .default("due"),
    endedAt: integer("ended_at"),
  },
  (t) => [
    index("vendor_event_due").on(t.id).where(sql`state = 'due'`),
    index("vendor_event_account").on(t.accountId),
    uniqueIndex("vendor_event_uid").on(t.uid),
  ],
);

/** Tokens of the vendor's API, with their scopes. */
export const apiTokens = sqliteTable("api_token", {
  name: text().primaryKey(),
  tokenHash: text("token_hash").notNull().unique("api_token_hash"),
  /** JSON. */
  scopes: text().notNull(),
  createdAt: integer("created_at").notNull(),
  /** To the hour. */
  usedAt: integer("used_at"),
});

/** Tombstones of erased messages, customers and accounts: hashes of keys and ids, against repeats. */
export const erased = sqliteTable(
  "erased",
  {
    channelId: text("channel_id").notNull(),
    hash: text().notNull(),
    at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.channelId, t.hash] })],
);

/** Erasures under way, sealed because each names whom it erases. The counts are of rows erased so far. */
export const erasures = sqliteTable("erasure", {
  id: text().primaryKey(),
  sealed: text().notNull(),
  messages: integer().notNull().default(0),
  files: integer().notNull().default(0),
  webhooks: integer().notNull().default(0),
  notes: integer().notNull().default(0),
});

/** People who asked at their messenger for the erasure of their data. */
export const erasureRequests = sqliteTable("erasure_request", {
  /** Fingerprint of the code under which they see its state. */
  id: text().primaryKey(),
  kind: text().notNull(),
  /** The customer's id; NULL once done. */
  sealed: text(),
  createdAt: integer("created_at").notNull(),
  doneAt: integer("done_at"),
});
