ALTER TABLE "account" ADD COLUMN "pause_reason" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "account" ADD COLUMN "limits" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "channel" ADD COLUMN "pause_reason" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "web_session" ADD COLUMN "ends_at" bigint;