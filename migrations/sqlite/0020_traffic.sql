CREATE TABLE `traffic` (
	`channel_id` text NOT NULL,
	`hour` integer NOT NULL,
	`delivered` integer NOT NULL,
	`refused` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `hour`)
);
--> statement-breakpoint
ALTER TABLE `tally` ADD `last_inbound_at` integer;--> statement-breakpoint
ALTER TABLE `tally` ADD `last_outbound_at` integer;--> statement-breakpoint
-- What was counted before belongs to no hour.
INSERT INTO `traffic` (`channel_id`, `hour`, `delivered`, `refused`) SELECT `channel_id`, 0, `delivered`, `refused` FROM `tally`;
