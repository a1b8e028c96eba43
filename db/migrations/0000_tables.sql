-- Reviewed by hand: `attempt` and `record` are partitioned by day, which the schema language cannot say.
CREATE TABLE "attempt" (
	"at" timestamp with time zone NOT NULL,
	"id" uuid NOT NULL,
	"received_at" timestamp with time zone NOT NULL,
	"arrival" bigint NOT NULL,
	"server_id" integer NOT NULL,
	"node_id" integer,
	"client_id" integer,
	"session_ref" uuid,
	"generation" text,
	"requested_generation" text,
	"stream" text,
	"protocol_version" text,
	"cursor" bigint,
	"floor" bigint,
	"head" bigint,
	"status" smallint,
	"latency_ms" double precision,
	"act" smallint NOT NULL,
	"verdict" smallint,
	"reason" smallint,
	"assessment" smallint NOT NULL,
	"mark" smallint NOT NULL,
	"is_unavailable" boolean NOT NULL,
	"gap_count" bigint,
	"replay_count" bigint,
	"lead" bigint,
	"body" text NOT NULL,
	CONSTRAINT "attempt_at_id_pk" PRIMARY KEY("at","id")
) PARTITION BY RANGE ("at");
--> statement-breakpoint
CREATE TABLE "client" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "client_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	CONSTRAINT "client_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "node" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "node_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	CONSTRAINT "node_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "server" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "server_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	CONSTRAINT "server_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "installation" (
	"key" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "record" (
	"at" timestamp with time zone NOT NULL,
	"id" uuid NOT NULL,
	"received_at" timestamp with time zone NOT NULL,
	"arrival" bigint NOT NULL,
	"server_id" integer NOT NULL,
	"node_id" integer,
	"session_ref" uuid,
	"type" smallint NOT NULL,
	"generation" text,
	"stream" text,
	"body" text NOT NULL,
	CONSTRAINT "record_at_id_pk" PRIMARY KEY("at","id")
) PARTITION BY RANGE ("at");
--> statement-breakpoint
CREATE TABLE "attempt_histogram" (
	"hour" timestamp with time zone NOT NULL,
	"measure" smallint NOT NULL,
	"mark" smallint NOT NULL,
	"bucket" smallint NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "attempt_histogram_hour_measure_mark_bucket_pk" PRIMARY KEY("hour","measure","mark","bucket")
);
--> statement-breakpoint
CREATE TABLE "attempt_minute" (
	"bucket" timestamp with time zone NOT NULL,
	"reason" smallint NOT NULL,
	"assessment" smallint NOT NULL,
	"attempts" bigint NOT NULL,
	"unavailable" bigint NOT NULL,
	"gap_events" numeric NOT NULL,
	"uncounted" bigint NOT NULL,
	CONSTRAINT "attempt_minute_bucket_reason_assessment_pk" PRIMARY KEY("bucket","reason","assessment")
);
--> statement-breakpoint
CREATE TABLE "pending_rollup" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "pending_rollup_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"increments" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "record_day" (
	"day" timestamp with time zone NOT NULL,
	"type" smallint NOT NULL,
	"records" bigint NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "record_day_day_type_pk" PRIMARY KEY("day","type")
);
--> statement-breakpoint
CREATE TABLE "server_hour" (
	"bucket" timestamp with time zone NOT NULL,
	"server_id" integer NOT NULL,
	"reason" smallint NOT NULL,
	"assessment" smallint NOT NULL,
	"attempts" bigint NOT NULL,
	"unavailable" bigint NOT NULL,
	"gap_events" numeric NOT NULL,
	"uncounted" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	"lead_min" bigint,
	"kept_max" bigint,
	"needed_max" bigint,
	CONSTRAINT "server_hour_bucket_server_id_reason_assessment_pk" PRIMARY KEY("bucket","server_id","reason","assessment")
);
--> statement-breakpoint
CREATE TABLE "session" (
	"ref" uuid PRIMARY KEY NOT NULL,
	"server_id" integer NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	"records" bigint NOT NULL,
	"attempts" bigint NOT NULL,
	"unsafe" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "session_hour" (
	"hour" timestamp with time zone NOT NULL,
	"server_id" integer NOT NULL,
	"session_ref" uuid NOT NULL,
	CONSTRAINT "session_hour_hour_server_id_session_ref_pk" PRIMARY KEY("hour","server_id","session_ref")
);
--> statement-breakpoint
CREATE TABLE "undated_record" (
	"id" uuid PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "attempt_id" ON "attempt" USING btree ("id");--> statement-breakpoint
CREATE INDEX "attempt_server_at" ON "attempt" USING btree ("server_id","at");--> statement-breakpoint
CREATE INDEX "attempt_session_at" ON "attempt" USING btree ("session_ref","at","id");--> statement-breakpoint
CREATE INDEX "attempt_trouble_at" ON "attempt" USING btree ("at","id") WHERE mark in (0, 1, 2);--> statement-breakpoint
CREATE INDEX "record_session_arrival" ON "record" USING btree ("session_ref","arrival");--> statement-breakpoint
CREATE INDEX "session_last_at" ON "session" USING btree ("last_at","ref");--> statement-breakpoint
-- Increments live for a second or so: compressing them would cost more than it saves.
ALTER TABLE "pending_rollup" ALTER COLUMN "increments" SET STORAGE EXTERNAL;
