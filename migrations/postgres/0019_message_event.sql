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
-- Names no column with content: PostgreSQL would refuse to forget its samples (src/store/postgres/care/erasing.ts).
CREATE OR REPLACE TRIGGER "message_event" AFTER UPDATE OF "state" ON "message" FOR EACH ROW
  WHEN (NEW."kind" IN ('message','edited','deleted') AND NEW."state" IN ('held','dead','dropped')
    AND OLD."state" NOT IN ('dead','dropped','carried') AND NEW."state" <> OLD."state") EXECUTE FUNCTION "message_event"();
