ALTER TABLE `account` ADD `unanswered` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `account` ADD `unanswered_at` integer DEFAULT 0 NOT NULL;