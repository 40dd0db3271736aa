DROP INDEX `job_channel_due`;--> statement-breakpoint
ALTER TABLE `job` ADD `known` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `job_channel_due` ON `job` (`channel_id`,`direction`,`known`,`run_at`,`id`) WHERE head = 1 AND state = 'ready' AND direction <> 'ack';