CREATE TABLE `erasure_request` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`sealed` text,
	`created_at` integer NOT NULL,
	`done_at` integer
);
--> statement-breakpoint
CREATE TABLE `parked` (
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`login` text NOT NULL,
	`owner` text NOT NULL,
	`channel_id` text,
	`account_id` text,
	`size` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`sealed` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `parked_id` ON `parked` (`id`);--> statement-breakpoint
CREATE INDEX `parked_login` ON `parked` (`login`,`position`);--> statement-breakpoint
CREATE INDEX `parked_owner` ON `parked` (`owner`,`position`);