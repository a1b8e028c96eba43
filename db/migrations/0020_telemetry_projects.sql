ALTER TABLE "producer_epoch" DROP CONSTRAINT "producer_epoch_producer_epoch_pk";--> statement-breakpoint
ALTER TABLE "producer_server" DROP CONSTRAINT "producer_server_producer_server_id_pk";--> statement-breakpoint
ALTER TABLE "telemetry_loss" DROP CONSTRAINT "telemetry_loss_producer_epoch_first_last_pk";--> statement-breakpoint
ALTER TABLE "producer_epoch" ADD COLUMN "project_id" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "producer_server" ADD COLUMN "project_id" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "telemetry_loss" ADD COLUMN "project_id" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "producer_epoch" ADD CONSTRAINT "producer_epoch_project_id_producer_epoch_pk" PRIMARY KEY("project_id","producer","epoch");--> statement-breakpoint
ALTER TABLE "producer_server" ADD CONSTRAINT "producer_server_project_id_producer_server_id_pk" PRIMARY KEY("project_id","producer","server_id");--> statement-breakpoint
ALTER TABLE "telemetry_loss" ADD CONSTRAINT "telemetry_loss_project_id_producer_epoch_first_last_pk" PRIMARY KEY("project_id","producer","epoch","first","last");--> statement-breakpoint
-- Whose a producer was nobody noted: it is taken to be of the projects of its servers, and of each of several. Without any it is of the default one.
UPDATE "producer_server" p SET "project_id" = s."project_id" FROM "server" s WHERE s."id" = p."server_id";--> statement-breakpoint
INSERT INTO "producer_epoch" ("project_id", "producer", "epoch", "head", "head_at", "dropped", "first_at", "last_at")
SELECT DISTINCT p."project_id", e."producer", e."epoch", e."head", e."head_at", e."dropped", e."first_at", e."last_at"
FROM "producer_epoch" e JOIN "producer_server" p ON p."producer" = e."producer" WHERE p."project_id" <> 0;--> statement-breakpoint
INSERT INTO "telemetry_loss" ("project_id", "producer", "epoch", "first", "last", "since", "until", "records", "revealed_at")
SELECT DISTINCT p."project_id", l."producer", l."epoch", l."first", l."last", l."since", l."until", l."records", l."revealed_at"
FROM "telemetry_loss" l JOIN "producer_server" p ON p."producer" = l."producer" WHERE p."project_id" <> 0;--> statement-breakpoint
DELETE FROM "producer_epoch" e WHERE e."project_id" = 0
AND EXISTS (SELECT FROM "producer_server" p WHERE p."producer" = e."producer")
AND NOT EXISTS (SELECT FROM "producer_server" p WHERE p."producer" = e."producer" AND p."project_id" = 0);--> statement-breakpoint
DELETE FROM "telemetry_loss" l WHERE l."project_id" = 0
AND EXISTS (SELECT FROM "producer_server" p WHERE p."producer" = l."producer")
AND NOT EXISTS (SELECT FROM "producer_server" p WHERE p."producer" = l."producer" AND p."project_id" = 0);
