CREATE TABLE "session_count" (
	"hour" timestamp with time zone NOT NULL,
	"server_id" integer NOT NULL,
	"is_unsafe" boolean NOT NULL,
	"before" timestamp with time zone NOT NULL,
	"sessions" bigint NOT NULL,
	CONSTRAINT "session_count_is_unsafe_hour_server_id_before_pk" PRIMARY KEY("is_unsafe","hour","server_id","before")
);
--> statement-breakpoint
CREATE INDEX "session_hour_session" ON "session_hour" USING btree ("session_ref","hour");--> statement-breakpoint
-- By hand: what is rolled up already is counted.
INSERT INTO "session_count" ("hour", "server_id", "is_unsafe", "before", "sessions")
SELECT "hour", "server_id", "is_unsafe", "before", count(*) FROM (
  SELECT "hour", "server_id", false AS "is_unsafe", coalesce(lag("hour") OVER (PARTITION BY "session_ref" ORDER BY "hour"), '-infinity') AS "before" FROM "session_hour"
  UNION ALL
  SELECT "hour", "server_id", true, coalesce(lag("hour") OVER (PARTITION BY "session_ref" ORDER BY "hour"), '-infinity') FROM "session_hour" WHERE "unsafe" > 0
) rows GROUP BY 1, 2, 3, 4;
