CREATE TABLE "guest_call" (
	"account_id" text COLLATE "C" NOT NULL
		CONSTRAINT "guest_call_account_id_account_id_fk" REFERENCES "account"("id") ON DELETE CASCADE,
	"place" bigint NOT NULL,
	"free_at" bigint NOT NULL,
	CONSTRAINT "guest_call_account_id_place_pk" PRIMARY KEY("account_id","place")
);
--> statement-breakpoint
CREATE TABLE "remembered" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"account_id" text COLLATE "C" NOT NULL
		CONSTRAINT "remembered_account_id_account_id_fk" REFERENCES "account"("id") ON DELETE CASCADE,
	"sealed" text COLLATE "C" NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "remembered_account" ON "remembered" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "remembered_expires" ON "remembered" USING btree ("expires_at");