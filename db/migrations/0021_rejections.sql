CREATE TABLE "rejected_record" (
	"project_id" integer DEFAULT 0 NOT NULL,
	"id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "rejected_record_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
ALTER TABLE "producer_epoch" ADD COLUMN "first" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "telemetry_loss" ADD COLUMN "server_id" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "telemetry_loss" ADD COLUMN "is_rejected" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "telemetry_loss" DROP CONSTRAINT "telemetry_loss_project_id_producer_epoch_first_last_pk";--> statement-breakpoint
ALTER TABLE "telemetry_loss" ADD CONSTRAINT "telemetry_loss_pk" PRIMARY KEY("project_id","producer","epoch","first","last","server_id","is_rejected");--> statement-breakpoint
CREATE INDEX "rejected_record_at" ON "rejected_record" USING btree ("at");
