DROP INDEX `message_messenger`;--> statement-breakpoint
DROP INDEX `message_gateway`;--> statement-breakpoint
CREATE UNIQUE INDEX `message_messenger` ON `message` (`channel_id`,`messenger_message_id`,`part`) WHERE messenger_message_id IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `message_gateway` ON `message` (`channel_id`,`gateway_message_id`,`part`) WHERE gateway_message_id IS NOT NULL;