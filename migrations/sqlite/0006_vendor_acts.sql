ALTER TABLE `account` ADD `pause_reason` text;--> statement-breakpoint
ALTER TABLE `account` ADD `limits` text;--> statement-breakpoint
ALTER TABLE `channel` ADD `pause_reason` text;--> statement-breakpoint
ALTER TABLE `web_session` ADD `ends_at` integer;