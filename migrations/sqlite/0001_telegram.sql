CREATE TABLE `note` (
	`channel_id` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `key`)
);
--> statement-breakpoint
ALTER TABLE `channel` ADD `told` text;--> statement-breakpoint
ALTER TABLE `channel` ADD `identity` text;--> statement-breakpoint
CREATE UNIQUE INDEX `channel_identity` ON `channel` (`identity`) WHERE state <> 'removed';--> statement-breakpoint
CREATE INDEX `channel_untold` ON `channel` (`id`) WHERE coalesce(trouble, '') <> coalesce(told, '');--> statement-breakpoint
ALTER TABLE `job` ADD `work` text;--> statement-breakpoint
ALTER TABLE `job` ADD `album` text;--> statement-breakpoint
CREATE INDEX `job_album` ON `job` (`channel_id`,`album`) WHERE album IS NOT NULL AND state = 'ready';--> statement-breakpoint
ALTER TABLE `message` ADD `holds` text;