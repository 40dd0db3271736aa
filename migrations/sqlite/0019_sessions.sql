ALTER TABLE `web_session` ADD `started_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `web_session` ADD `browser` text;