import type { Evidence, Incident } from '@/lib/incidents/incident';

/** An incident as the store keeps it: JSON whose counts are decimal text. */
export function encodeIncident(incident: Incident): string {
  const { toll } = incident;
  return JSON.stringify({
    ...incident,
    toll: { ...toll, eventsOfAttempts: String(toll.eventsOfAttempts), eventsOfFindings: String(toll.eventsOfFindings) },
  });
}

/** Reads what `encodeIncident` wrote; nothing else writes it. */
export function decodeIncident(text: string): Incident {
  const incident = JSON.parse(text) as Incident & { toll: { eventsOfAttempts: string; eventsOfFindings: string } };
  const { toll } = incident;
  return {
    ...incident,
    toll: { ...toll, eventsOfAttempts: BigInt(toll.eventsOfAttempts), eventsOfFindings: BigInt(toll.eventsOfFindings) },
  };
}

export function encodeEvidence(evidence: readonly Evidence[]): string {
  return JSON.stringify(
    evidence.map((piece) => (piece.events === null ? piece : { ...piece, events: { ...piece.events, count: String(piece.events.count) } })),
  );
}

/** Reads what `encodeEvidence` wrote; nothing else writes it. */
export function decodeEvidence(text: string): Evidence[] {
  const pieces = JSON.parse(text) as (Evidence & { events: { count: string } | null })[];
  return pieces.map((piece) =>
    piece.events === null ? piece : { ...piece, events: { ...piece.events, count: BigInt(piece.events.count) } },
  );
}
