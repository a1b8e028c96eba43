CREATE TABLE "annotation" (
	"is_hour" boolean NOT NULL,
	"kind" smallint NOT NULL,
	"bucket" timestamp with time zone NOT NULL,
	"server_id" integer NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "annotation_is_hour_kind_bucket_server_id_pk" PRIMARY KEY("is_hour","kind","bucket","server_id")
);
--> statement-breakpoint
CREATE INDEX "annotation_server" ON "annotation" USING btree ("server_id","is_hour","bucket");