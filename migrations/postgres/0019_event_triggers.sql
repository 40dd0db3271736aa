-- No trigger names a column with texts: PostgreSQL would refuse to forget its samples (src/store/postgres/care/erasing.ts).
CREATE OR REPLACE FUNCTION "message_event"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW."state" = 'dropped' AND NEW."payload" IS NOT NULL THEN
    RETURN NULL;
  END IF;
  PERFORM "vendor_event_add"(NEW."account_id", CASE WHEN NEW."state" = 'held' THEN 'message.held' ELSE 'message.undelivered' END, jsonb_build_object('channel', ((SELECT jsonb_build_object('id', "channel"."id", 'kind', "channel"."kind", 'name', "channel"."name")
        FROM "channel" WHERE "channel"."id" = NEW."channel_id")),
      'message', jsonb_build_object('id', NEW."id", 'kind', NEW."kind", 'direction', NEW."direction"),
      'reason', coalesce(NEW."error_code", 'general')));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "message_event" AFTER UPDATE OF "state" ON "message" FOR EACH ROW
  WHEN (NEW."kind" IN ('message','edited','deleted') AND NEW."state" IN ('held','dead','dropped')
    AND OLD."state" NOT IN ('dead','dropped','carried') AND NEW."state" <> OLD."state") EXECUTE FUNCTION "message_event"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "account_event_trouble"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF (NEW."trouble" IS NULL) <> (OLD."trouble" IS NULL) THEN
    PERFORM "vendor_event_add"(NEW."id", CASE WHEN NEW."trouble" IS NULL THEN 'account.recovered' ELSE 'account.troubled' END, '{}');
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "account_event_trouble" AFTER UPDATE ON "account" FOR EACH ROW EXECUTE FUNCTION "account_event_trouble"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "channel_event"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  "is_troubled" boolean := NEW."state" <> 'removed' AND (NEW."state" = 'stopped' OR NEW."trouble" IS NOT NULL);
  "was_troubled" boolean := OLD."state" <> 'removed' AND (OLD."state" = 'stopped' OR OLD."trouble" IS NOT NULL);
BEGIN
  IF "is_troubled" <> "was_troubled" OR (NEW."state" <> OLD."state" AND NEW."state" IN ('stopped','removed')) THEN
    PERFORM "vendor_event_add"(NEW."account_id", CASE WHEN NEW."state" = 'removed' THEN 'channel.removed' WHEN "is_troubled" THEN 'channel.troubled' ELSE 'channel.recovered' END, jsonb_build_object('channel', jsonb_build_object('id', NEW."id", 'kind', NEW."kind", 'name', NEW."name"),
        'reason', CASE WHEN NEW."state" = 'stopped' THEN 'stopped' WHEN "is_troubled" THEN 'troubled' END));
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "channel_event" AFTER UPDATE ON "channel" FOR EACH ROW EXECUTE FUNCTION "channel_event"();
