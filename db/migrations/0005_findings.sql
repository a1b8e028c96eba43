CREATE SEQUENCE "public"."intake_batch" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "audit_checkpoint" (
	"server_id" integer PRIMARY KEY NOT NULL,
	"epoch" bigint NOT NULL,
	"state" "bytea",
	"saved_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_inbox" (
	"server_id" integer NOT NULL,
	"batch" bigint NOT NULL,
	"records" integer NOT NULL,
	"min_at" timestamp with time zone NOT NULL,
	"max_at" timestamp with time zone NOT NULL,
	"stored_at" timestamp with time zone NOT NULL,
	CONSTRAINT "audit_inbox_server_id_batch_pk" PRIMARY KEY("server_id","batch")
);
--> statement-breakpoint
CREATE TABLE "finding" (
	"id" uuid PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"known_at" timestamp with time zone NOT NULL,
	"changed_at" timestamp with time zone NOT NULL,
	"server_id" integer NOT NULL,
	"session_ref" uuid,
	"code" smallint NOT NULL,
	"severity" smallint NOT NULL,
	"blame" smallint NOT NULL,
	"count" numeric NOT NULL,
	"place" bigint NOT NULL,
	"is_provisional" boolean NOT NULL,
	"body" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "attempt" ADD COLUMN "place" bigint;--> statement-breakpoint
ALTER TABLE "attempt" ADD COLUMN "judged_by" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "attempt" ADD COLUMN "judgement" text;--> statement-breakpoint
ALTER TABLE "record" ADD COLUMN "place" bigint;--> statement-breakpoint
CREATE INDEX "audit_inbox_stored" ON "audit_inbox" USING btree ("stored_at");--> statement-breakpoint
CREATE INDEX "finding_at" ON "finding" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "finding_server_at" ON "finding" USING btree ("server_id","at");--> statement-breakpoint
CREATE INDEX "finding_session" ON "finding" USING btree ("session_ref");--> statement-breakpoint
CREATE INDEX "finding_known" ON "finding" USING btree ("known_at");--> statement-breakpoint
CREATE INDEX "attempt_server_place" ON "attempt" USING btree ("server_id","place");--> statement-breakpoint
CREATE INDEX "record_server_place" ON "record" USING btree ("server_id","place");