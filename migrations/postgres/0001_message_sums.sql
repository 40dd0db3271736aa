ALTER TABLE "tally" ADD COLUMN "messages_delivered" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tally" ADD COLUMN "messages_refused" bigint DEFAULT 0 NOT NULL;