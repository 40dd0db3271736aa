ALTER TABLE `tally` ADD `acks_owed` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `tally` ADD `acks_given` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `tally` ADD `acks_refused` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
INSERT INTO `tally` (`channel_id`, `account_id`, `acks_owed`, `acks_refused`) SELECT `channel_id`, `account_id`, count(*), sum(`state` = 'dead') FROM `job` WHERE `direction` = 'ack' AND `state` IN ('ready','sending','waiting','held','dead') GROUP BY `channel_id` ON CONFLICT(`channel_id`) DO UPDATE SET `acks_owed` = excluded.`acks_owed`, `acks_refused` = excluded.`acks_refused`;
