CREATE TABLE `erased` (
	`channel_id` text NOT NULL,
	`hash` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `hash`)
);
--> statement-breakpoint
-- Until now deleted rows were not overwritten: the next start rewrites the file once.
INSERT OR REPLACE INTO `meta` (`key`, `value`) VALUES ('traces', '1');
