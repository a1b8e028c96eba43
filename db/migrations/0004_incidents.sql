CREATE TABLE "incident" (
	"id" uuid PRIMARY KEY NOT NULL,
	"key" text,
	"is_current" boolean NOT NULL,
	"server" text NOT NULL,
	"cause" text,
	"title" text NOT NULL,
	"state" text NOT NULL,
	"severity" text NOT NULL,
	"own_severity" text,
	"owner" text,
	"links" text DEFAULT '[]' NOT NULL,
	"opened_at" timestamp with time zone NOT NULL,
	"last_evidence_at" timestamp with time zone NOT NULL,
	"settled_at" timestamp with time zone,
	"merged_into" uuid,
	"machine" text,
	"content" text,
	"findings" text DEFAULT '[]' NOT NULL,
	"records" integer DEFAULT 0 NOT NULL,
	"revision" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "incident_book" (
	"id" integer PRIMARY KEY NOT NULL,
	"now" timestamp with time zone NOT NULL,
	"split" text NOT NULL,
	"rates_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "incident_event" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "incident_event_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"incident_id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"type" text NOT NULL,
	"actor" text,
	"detail" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "incident_record" (
	"incident_id" uuid NOT NULL,
	"place" bigint NOT NULL,
	"record_id" uuid NOT NULL,
	"at" timestamp with time zone,
	"session_ref" uuid,
	"body" text NOT NULL,
	CONSTRAINT "incident_record_incident_id_place_record_id_pk" PRIMARY KEY("incident_id","place","record_id")
);
--> statement-breakpoint
CREATE TABLE "incident_session" (
	"incident_id" uuid NOT NULL,
	"session_ref" uuid NOT NULL,
	"place" integer NOT NULL,
	"pinned" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "incident_session_incident_id_session_ref_pk" PRIMARY KEY("incident_id","session_ref")
);
--> statement-breakpoint
CREATE TABLE "pending_evidence" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "pending_evidence_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"evidence" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "incident_event" ADD CONSTRAINT "incident_event_incident_id_incident_id_fk" FOREIGN KEY ("incident_id") REFERENCES "public"."incident"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "incident_record" ADD CONSTRAINT "incident_record_incident_id_incident_id_fk" FOREIGN KEY ("incident_id") REFERENCES "public"."incident"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "incident_session" ADD CONSTRAINT "incident_session_incident_id_incident_id_fk" FOREIGN KEY ("incident_id") REFERENCES "public"."incident"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "incident_current_key" ON "incident" USING btree ("key") WHERE is_current;--> statement-breakpoint
CREATE INDEX "incident_opened_at" ON "incident" USING btree ("opened_at","id");--> statement-breakpoint
CREATE INDEX "incident_state" ON "incident" USING btree ("state","server");--> statement-breakpoint
CREATE INDEX "incident_event_incident" ON "incident_event" USING btree ("incident_id","seq");--> statement-breakpoint
CREATE INDEX "incident_session_ref" ON "incident_session" USING btree ("session_ref");