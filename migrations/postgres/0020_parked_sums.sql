DROP INDEX CONCURRENTLY IF EXISTS "parked_owner";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "parked_owner" ON "parked" USING btree ("owner","position","size");