DROP INDEX `audit_age`;--> statement-breakpoint
DROP INDEX `inbox_age`;