CREATE TABLE "alert_attempt" (
	"delivery_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"outcome" text NOT NULL,
	"status" integer,
	"latency_ms" integer NOT NULL,
	"error" text,
	"response_head" text,
	CONSTRAINT "alert_attempt_delivery_id_number_pk" PRIMARY KEY("delivery_id","number")
);
--> statement-breakpoint
CREATE TABLE "alert_channel" (
	"name" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"sealed" text NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alert_delivery" (
	"id" uuid PRIMARY KEY NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "alert_delivery_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"endpoint" text NOT NULL,
	"rule" text NOT NULL,
	"group_key" text NOT NULL,
	"episode" bigint NOT NULL,
	"kind" text NOT NULL,
	"body" text NOT NULL,
	"state" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone,
	"dead_reason" text
);
--> statement-breakpoint
CREATE TABLE "alert_endpoint" (
	"name" text PRIMARY KEY NOT NULL,
	"target" text NOT NULL,
	"lease" uuid,
	"leased_until" timestamp with time zone,
	"not_before" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"disabled_at" timestamp with time zone,
	"disabled_reason" text
);
--> statement-breakpoint
CREATE TABLE "alert_event" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "alert_event_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone NOT NULL,
	"type" text NOT NULL,
	"rule" text NOT NULL,
	"group_key" text NOT NULL,
	"labels" text NOT NULL,
	"detail" text
);
--> statement-breakpoint
CREATE TABLE "alert_rule" (
	"name" text PRIMARY KEY NOT NULL,
	"spec" text NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alert_silence" (
	"id" uuid PRIMARY KEY NOT NULL,
	"matchers" text NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	"comment" text NOT NULL,
	"author" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alert_state" (
	"rule" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"evaluated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "alert_attempt" ADD CONSTRAINT "alert_attempt_delivery_id_alert_delivery_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."alert_delivery"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alert_delivery_pending" ON "alert_delivery" USING btree ("endpoint","seq") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "alert_delivery_episode" ON "alert_delivery" USING btree ("rule","group_key","episode");--> statement-breakpoint
CREATE INDEX "alert_delivery_created" ON "alert_delivery" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "alert_event_at" ON "alert_event" USING btree ("at");--> statement-breakpoint
CREATE INDEX "alert_silence_ends_at" ON "alert_silence" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "attempt_received" ON "attempt" USING btree ("received_at");