DROP INDEX CONCURRENTLY IF EXISTS "message_ended";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "message_ended" ON "message" USING btree ("account_id","id","state","ack","channel_id","error_code","events","album","kind") WHERE state IN ('held','dead') OR ack = 'refused';
