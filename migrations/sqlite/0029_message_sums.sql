ALTER TABLE `tally` ADD `messages_delivered` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `tally` ADD `messages_refused` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Until now the hours counted all events: their sums go on from there.
UPDATE `tally` SET `messages_delivered` = `delivered`, `messages_refused` = `refused`;
