import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { auditRecords } from '@/lib/audit/audit-records';
import { advanceIncidents } from '@/lib/incidents/advance';
import { evidenceOfFinding } from '@/lib/incidents/evidence';
import { type Evidence, NEW_BOOK } from '@/lib/incidents/incident';
import { incidentNextStep } from '@/lib/incidents/words';

/** What the findings of a recorded case say about incidents, at one instant. */
function evidenceOf(name: string): Evidence[] {
  const cases = JSON.parse(readFileSync(`tests/histories/${name.slice(0, 3)}.json`, 'utf8')) as { case: string; records: unknown[] }[];
  const audited = auditRecords(cases.find((entry) => entry.case === name)?.records);
  if (!audited.ok) throw new Error(audited.error.message);
  return audited.value.findings.flatMap((finding) => evidenceOfFinding(finding, finding.session, 1_000) ?? []);
}

test.each([
  { name: 'S02a', cause: 'skipped_events', count: 9n },
  { name: 'S01a', cause: 'former_generation', count: 0n },
  { name: 'F35a', cause: 'cross_session_replay', count: 0n },
])('the findings of $name open an incident of cause $cause that says the next step', ({ name, cause, count }) => {
  const evidence = evidenceOf(name);
  const [book] = advanceIncidents(NEW_BOOK, evidence, 2_000);
  expect(Object.values(book.incidents).map((incident) => incident.cause)).toContain(cause);
  const own = evidence.filter((piece) => piece.cause === cause);
  expect(own.reduce((sum, piece) => sum + (piece.events?.count ?? 0n), 0n)).toBe(count);
});

test('a refused history opens nothing', () => expect(evidenceOf('S02b')).toEqual([]));

test('every cause has a next step', () => {
  const causes = [
    'skipped_events',
    'former_generation',
    'unknown_cursor',
    'cross_session_replay',
    'resume_unavailable',
    'reconnect_storm',
    'blind',
  ] as const;
  for (const cause of causes) expect(incidentNextStep({ cause } as Parameters<typeof incidentNextStep>[0]).length).toBeGreaterThan(20);
});
