ALTER TABLE `account` ADD `language` text;--> statement-breakpoint
ALTER TABLE `account` ADD `time_zone` text;