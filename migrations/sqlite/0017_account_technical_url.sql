ALTER TABLE `account` ADD `technical_url` text;--> statement-breakpoint
CREATE INDEX `account_technical_url` ON `account` (`technical_url`);