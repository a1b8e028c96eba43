CREATE TABLE "rate_step" (
	"server_id" integer NOT NULL,
	"until" timestamp with time zone NOT NULL,
	"attempts" integer NOT NULL,
	"unavailable" integer NOT NULL,
	"unverifiable" integer NOT NULL,
	"sessions" integer NOT NULL,
	CONSTRAINT "rate_step_server_id_until_pk" PRIMARY KEY("server_id","until")
);
--> statement-breakpoint
ALTER TABLE "incident" ADD COLUMN "audited" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "incident_record_session" ON "incident_record" USING btree ("incident_id","session_ref","place");