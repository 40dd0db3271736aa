DROP INDEX `parked_owner`;--> statement-breakpoint
CREATE INDEX `parked_owner` ON `parked` (`owner`,`position`,`size`);