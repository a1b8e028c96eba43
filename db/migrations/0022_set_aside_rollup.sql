CREATE TABLE "set_aside_rollup" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"increments" text NOT NULL,
	"code" text NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "set_aside_rollup_at" ON "set_aside_rollup" USING btree ("at");