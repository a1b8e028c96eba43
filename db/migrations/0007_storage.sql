CREATE TABLE "access_key" (
	"id" uuid PRIMARY KEY NOT NULL,
	"prefix" text NOT NULL,
	"hash" text NOT NULL,
	"label" text NOT NULL,
	"project" text,
	"scopes" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"created_by" text NOT NULL,
	"last_used_at" timestamp with time zone,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"replaces" uuid,
	CONSTRAINT "access_key_prefix_unique" UNIQUE("prefix")
);
--> statement-breakpoint
CREATE TABLE "producer_epoch" (
	"producer" text NOT NULL,
	"epoch" text NOT NULL,
	"head" bigint NOT NULL,
	"head_at" timestamp with time zone NOT NULL,
	"dropped" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "producer_epoch_producer_epoch_pk" PRIMARY KEY("producer","epoch")
);
--> statement-breakpoint
CREATE TABLE "producer_server" (
	"producer" text NOT NULL,
	"server_id" integer NOT NULL,
	CONSTRAINT "producer_server_producer_server_id_pk" PRIMARY KEY("producer","server_id")
);
--> statement-breakpoint
CREATE TABLE "telemetry_loss" (
	"producer" text NOT NULL,
	"epoch" text NOT NULL,
	"first" bigint NOT NULL,
	"last" bigint NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"until" timestamp with time zone NOT NULL,
	"records" bigint NOT NULL,
	"revealed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "telemetry_loss_producer_epoch_first_last_pk" PRIMARY KEY("producer","epoch","first","last")
);
--> statement-breakpoint
CREATE TABLE "change_log" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "change_log_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"before" text,
	"after" text
);
--> statement-breakpoint
CREATE TABLE "live_event" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"note" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "live_head" (
	"id" bigint PRIMARY KEY NOT NULL,
	"generation" text NOT NULL,
	"head" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "session_hour" ADD COLUMN "unsafe" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "access_key_created" ON "access_key" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "producer_epoch_last" ON "producer_epoch" USING btree ("last_at");--> statement-breakpoint
CREATE INDEX "telemetry_loss_until" ON "telemetry_loss" USING btree ("until");--> statement-breakpoint
CREATE INDEX "telemetry_loss_revealed" ON "telemetry_loss" USING btree ("revealed_at");--> statement-breakpoint
CREATE INDEX "change_log_action" ON "change_log" USING btree ("action","seq");--> statement-breakpoint
CREATE INDEX "session_hour_unsafe" ON "session_hour" USING btree ("hour","server_id","session_ref") WHERE unsafe > 0;--> statement-breakpoint
-- By hand: hours that are rolled up already learn their unsafe resumes (mark 0) from the rows.
INSERT INTO "session_hour" ("hour", "server_id", "session_ref", "unsafe")
SELECT date_bin('1 hour', "at", 'epoch'::timestamptz), "server_id", "session_ref", count(*)
FROM "attempt" WHERE "mark" = 0 AND "session_ref" IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
ON CONFLICT ("hour", "server_id", "session_ref") DO UPDATE SET "unsafe" = excluded."unsafe";
