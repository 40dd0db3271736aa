ALTER TABLE `message` ADD `fixed` integer;--> statement-breakpoint
ALTER TABLE `message` ADD `words` text;--> statement-breakpoint
ALTER TABLE `message` ADD `first_id` text;--> statement-breakpoint
CREATE INDEX `message_first` ON `message` (`channel_id`,`first_id`) WHERE first_id IS NOT NULL;