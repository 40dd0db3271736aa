ALTER TABLE `message` ADD `late_at` integer;--> statement-breakpoint
ALTER TABLE `message` ADD `generation` integer DEFAULT 0 NOT NULL;