-- A row holds the webhooks of a commit now; those kept before cannot be read any more.
DELETE FROM `raw_webhook`;--> statement-breakpoint
DROP INDEX `raw_webhook_account`;--> statement-breakpoint
DROP INDEX `raw_webhook_age`;--> statement-breakpoint
ALTER TABLE `raw_webhook` DROP COLUMN `account_id`;--> statement-breakpoint
ALTER TABLE `raw_webhook` DROP COLUMN `channel_id`;--> statement-breakpoint
ALTER TABLE `raw_webhook` DROP COLUMN `source`;