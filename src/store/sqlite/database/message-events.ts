/**
 * Writes an event for each message that ends undelivered or is held. Installed only while somebody listens: SQLite
 * compiles it into every update of a state, which then costs 5 microseconds more, whether it fires or not. Only an
 * erasure drops live messages that still have their payload: these write no event.
 */
export const MESSAGE_EVENTS = {
  on: `CREATE TRIGGER IF NOT EXISTS message_event AFTER UPDATE OF "state" ON "message" WHEN (NEW."kind" IN ('message','edited','deleted') AND (NEW."state" IN ('held','dead') OR (NEW."state" = 'dropped' AND NEW."payload" IS NULL))
    AND OLD."state" NOT IN ('dead','dropped','carried') AND NEW."state" <> OLD."state")
  AND EXISTS (SELECT 1 FROM "meta" WHERE "key" = 'vendor_events') BEGIN
  INSERT INTO "vendor_event" ("uid", "account_id", "type", "body", "created_at")
  SELECT 'evt_' || lower(hex(randomblob(16))), "account"."id", CASE WHEN NEW."state" = 'held' THEN 'message.held' ELSE 'message.undelivered' END, json_object('type', CASE WHEN NEW."state" = 'held' THEN 'message.held' ELSE 'message.undelivered' END,
    'timestamp', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),
    'data', json_object('account', json_object('id', "account"."id", 'crmUrl', "account"."crm_url"),
      'channel', json((SELECT json_object('id', "channel"."id", 'kind', "channel"."kind", 'name', "channel"."name")
        FROM "channel" WHERE "channel"."id" = NEW."channel_id")),
      'message', json_object('id', NEW."id", 'kind', NEW."kind", 'direction', NEW."direction"),
      'reason', coalesce(NEW."error_code", 'general'))),
    CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER)
  FROM "account" WHERE "account"."id" = NEW."account_id";
END`,
  off: "DROP TRIGGER IF EXISTS message_event",
};
