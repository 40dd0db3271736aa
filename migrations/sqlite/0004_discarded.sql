DROP INDEX `message_age`;--> statement-breakpoint
CREATE INDEX `message_age` ON `message` (`updated_at`) WHERE state IN ('done','dead','dropped') AND payload IS NOT NULL;