CREATE TABLE `account_lease` (
	`account_id` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`fence` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `account` (
	`id` text PRIMARY KEY NOT NULL,
	`crm_url` text NOT NULL,
	`api_key_sealed` text NOT NULL,
	`client_id_hash` text NOT NULL,
	`client_id_sealed` text NOT NULL,
	`webhook_hash` text NOT NULL,
	`webhook_sealed` text NOT NULL,
	`gateway_url` text NOT NULL,
	`gateway_token_sealed` text NOT NULL,
	`active` integer NOT NULL,
	`frozen` integer NOT NULL,
	`trouble` text,
	`rest_until` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `account_crm_url` ON `account` (`crm_url`);--> statement-breakpoint
CREATE UNIQUE INDEX `account_client_id` ON `account` (`client_id_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `account_webhook` ON `account` (`webhook_hash`);--> statement-breakpoint
CREATE TABLE `channel` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`door_hash` text NOT NULL,
	`door_sealed` text NOT NULL,
	`settings_sealed` text NOT NULL,
	`gateway_channel_id` text,
	`announced` text,
	`unsure` text NOT NULL,
	`state` text NOT NULL,
	`trouble` text,
	`epoch` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `channel_door` ON `channel` (`door_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `channel_gateway` ON `channel` (`account_id`,`gateway_channel_id`);--> statement-breakpoint
CREATE TABLE `inbox` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`channel_id` text NOT NULL,
	`source` text NOT NULL,
	`dedupe_key` text NOT NULL,
	`received_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `inbox_key` ON `inbox` (`channel_id`,`source`,`dedupe_key`);--> statement-breakpoint
CREATE TABLE `job` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`direction` text NOT NULL,
	`lane` text NOT NULL,
	`head` integer NOT NULL,
	`state` text NOT NULL,
	`origin` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`unsure` integer DEFAULT 0 NOT NULL,
	`crashes` integer DEFAULT 0 NOT NULL,
	`run_at` integer NOT NULL,
	`deadline_at` integer NOT NULL,
	`fence` integer DEFAULT 0 NOT NULL,
	`payload` text NOT NULL,
	`error_code` text,
	`error` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `job_lane` ON `job` (`lane`,`id`) WHERE state IN ('ready','sending','waiting');--> statement-breakpoint
CREATE INDEX `job_due` ON `job` (`account_id`,`direction`,`run_at`,`id`) WHERE head = 1 AND state = 'ready';--> statement-breakpoint
CREATE INDEX `job_deadline` ON `job` (`deadline_at`) WHERE state IN ('ready','waiting');--> statement-breakpoint
CREATE INDEX `job_ended` ON `job` (`account_id`,`id`) WHERE state IN ('held','dead');--> statement-breakpoint
CREATE TABLE `journal` (
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`channel_id` text NOT NULL,
	`chat` text NOT NULL,
	`key` text NOT NULL,
	`entry` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `journal_key` ON `journal` (`channel_id`,`key`);--> statement-breakpoint
CREATE INDEX `journal_chat` ON `journal` (`channel_id`,`chat`,`position`);--> statement-breakpoint
CREATE TABLE `kept_file` (
	`channel_id` text NOT NULL,
	`id` text NOT NULL,
	`name` text,
	`media_type` text NOT NULL,
	`size` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `id`)
);
--> statement-breakpoint
CREATE TABLE `message` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`channel_id` text NOT NULL,
	`direction` text NOT NULL,
	`chat` text NOT NULL,
	`gateway_chat` text NOT NULL,
	`gateway_message_id` text,
	`messenger_message_id` text,
	`part` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `message_messenger` ON `message` (`channel_id`,`messenger_message_id`,`part`);--> statement-breakpoint
CREATE UNIQUE INDEX `message_gateway` ON `message` (`channel_id`,`gateway_message_id`,`part`);--> statement-breakpoint
CREATE INDEX `message_chat` ON `message` (`channel_id`,`gateway_chat`);--> statement-breakpoint
CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `web_session` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`form_token` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE no action
);
