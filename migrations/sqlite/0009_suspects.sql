ALTER TABLE `job` ADD `fatal_crashes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `job` ADD `in_own_code` integer DEFAULT 0 NOT NULL;