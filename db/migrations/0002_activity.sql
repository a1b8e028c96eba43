CREATE TABLE "record_type" (
	"type" smallint PRIMARY KEY NOT NULL,
	"records" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "server_activity" (
	"server_id" integer PRIMARY KEY NOT NULL,
	"records" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "server_node" (
	"server_id" integer NOT NULL,
	"node_id" integer NOT NULL,
	"records" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "server_node_server_id_node_id_pk" PRIMARY KEY("server_id","node_id")
);
