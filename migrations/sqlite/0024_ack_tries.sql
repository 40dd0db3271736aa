ALTER TABLE `message` ADD `ack_tries` text;--> statement-breakpoint
ALTER TABLE `message` ADD `ended_at` integer;