CREATE TABLE "counted_finding" (
	"finding_id" uuid PRIMARY KEY NOT NULL,
	"count" numeric NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pending_finding" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "pending_finding_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"finding_id" uuid NOT NULL
);
--> statement-breakpoint
CREATE FUNCTION note_finding() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO pending_finding (finding_id) VALUES (NEW.id);
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER finding_evidence AFTER INSERT OR UPDATE OF count, is_provisional ON finding
	FOR EACH ROW WHEN (NOT NEW.is_provisional) EXECUTE FUNCTION note_finding();
