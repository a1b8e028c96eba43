CREATE TABLE "proxy_mode" (
	"route" text PRIMARY KEY NOT NULL,
	"mode" text NOT NULL,
	"switched_at" timestamp with time zone NOT NULL
);
