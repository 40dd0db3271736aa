-- The end of a lane's head makes the next message its head. Whoever ends one holds the lane: nobody adds to it meanwhile.
CREATE FUNCTION "message_next_head"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE "message" SET "head" = 1, "run_at" = greatest("run_at", NEW."updated_at") WHERE "id" = (
    SELECT "id" FROM "message" WHERE "channel_id" = NEW."channel_id" AND "direction" = NEW."direction"
      AND "chat" = NEW."chat" AND "state" IN ('ready','sending','waiting') ORDER BY "position" LIMIT 1);
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "message_next_head" AFTER UPDATE OF "head" ON "message" FOR EACH ROW
  WHEN (OLD."head" = 1 AND NEW."head" = 0) EXECUTE FUNCTION "message_next_head"();
--> statement-breakpoint
-- Every process hears of changes of an account and its channels.
CREATE FUNCTION "account_changed"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_notify('gangway', ' ' || coalesce(NEW."id", OLD."id"));
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "account_changed" AFTER INSERT OR UPDATE OR DELETE ON "account"
  FOR EACH ROW EXECUTE FUNCTION "account_changed"();--> statement-breakpoint
CREATE FUNCTION "channel_changed"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_notify('gangway', ' ' || coalesce(NEW."account_id", OLD."account_id"));
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "channel_changed" AFTER INSERT OR UPDATE OR DELETE ON "channel"
  FOR EACH ROW EXECUTE FUNCTION "channel_changed"();
