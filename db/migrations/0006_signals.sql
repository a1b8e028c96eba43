CREATE TABLE "alert_signal" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "alert_signal_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone NOT NULL,
	"code" text NOT NULL,
	"server" text NOT NULL,
	"reason" text NOT NULL,
	"detail" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "alert_signal_code_at" ON "alert_signal" USING btree ("code","at");