CREATE TABLE `erasure` (
	`id` text PRIMARY KEY NOT NULL,
	`sealed` text NOT NULL,
	`messages` integer DEFAULT 0 NOT NULL,
	`files` integer DEFAULT 0 NOT NULL,
	`webhooks` integer DEFAULT 0 NOT NULL,
	`notes` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE `kept_file` ADD `chat` text;--> statement-breakpoint
CREATE INDEX `kept_file_chat` ON `kept_file` (`channel_id`,`chat`) WHERE chat IS NOT NULL;