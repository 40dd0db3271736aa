CREATE TABLE `audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` text,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`detail` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_account` ON `audit` (`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_age` ON `audit` (`at`);--> statement-breakpoint
CREATE TABLE `raw_webhook` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` text NOT NULL,
	`channel_id` text,
	`source` text NOT NULL,
	`sealed` text NOT NULL,
	`received_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `raw_webhook_account` ON `raw_webhook` (`account_id`,`received_at`);--> statement-breakpoint
CREATE INDEX `raw_webhook_age` ON `raw_webhook` (`received_at`);--> statement-breakpoint
CREATE TABLE `tally` (
	`channel_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`accepted` integer DEFAULT 0 NOT NULL,
	`delivered` integer DEFAULT 0 NOT NULL,
	`refused` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE `job` ADD `events` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `job_age` ON `job` (`updated_at`) WHERE state IN ('done','replayed','dead');--> statement-breakpoint
CREATE INDEX `inbox_age` ON `inbox` (`received_at`);--> statement-breakpoint
UPDATE `job` SET `events` = 1 WHERE `state` <> 'replayed' AND (`direction` = 'outbound' OR (`direction` = 'inbound' AND json_extract(`payload`, '$.event.type') <> 'note'));--> statement-breakpoint
INSERT INTO `tally` SELECT `channel_id`, `account_id`, sum(`events`), sum(CASE WHEN `state` = 'done' THEN `events` ELSE 0 END), sum(CASE WHEN `state` = 'dead' THEN `events` ELSE 0 END) FROM `job` WHERE `events` > 0 GROUP BY `channel_id`;
