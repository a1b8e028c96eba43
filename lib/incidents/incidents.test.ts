import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergeIncidents, reopenIncident, resolveIncident, splitIncident } from '@/lib/incidents/act';
import { advanceIncidents } from '@/lib/incidents/advance';
import { evidenceOfAttempt } from '@/lib/incidents/evidence';
import {
  CAUSES,
  type Evidence,
  eventsOf,
  type Incident,
  type IncidentBook,
  type IncidentEffect,
  NEW_BOOK,
  QUIET_AFTER_MS,
  REOPENED_WITHIN_MS,
  RESOLVED_AFTER_MS,
} from '@/lib/incidents/incident';
import { BASELINE_STEPS_MIN, evidenceOfRates, type RateStep, spikeFrom } from '@/lib/incidents/rates';
import { incidentSentence, incidentTitle } from '@/lib/incidents/words';

const T0 = Date.UTC(2025, 11, 1, 2, 14);
const evidence = (at: number, more: Partial<Evidence> = {}): Evidence => ({
  at: T0 + at,
  server: 'payments-mcp',
  cause: 'skipped_events',
  session: 'a',
  severity: 'error',
  attempts: 1,
  events: null,
  callsLost: 0,
  callsDoubled: 0,
  finding: null,
  ...more,
});
const lost = (count: number, exact = true): Partial<Evidence> => ({ events: { of: 'attempt', count: BigInt(count), exact } });
const told = (effects: readonly IncidentEffect[]) => effects.map(({ type, at }) => [type, at - T0]);
const KEY = 'skipped_events/payments-mcp';

function run(...steps: [Evidence[], number][]): { book: IncidentBook; effects: IncidentEffect[] } {
  let book = NEW_BOOK;
  const effects: IncidentEffect[] = [];
  for (const [pieces, now] of steps) {
    const [next, more] = advanceIncidents(book, pieces, T0 + now);
    book = next;
    effects.push(...more);
  }
  return { book, effects };
}
const incident = (book: IncidentBook, key = KEY): Incident => book.incidents[key] ?? expect.fail(`no ${key}`);

describe('life of an incident', () => {
  const quiet = QUIET_AFTER_MS;
  const resolved = quiet + RESOLVED_AFTER_MS;
  test.each<{ what: string; steps: [Evidence[], number][]; effects: unknown[] }>([
    { what: 'opens at its first evidence', steps: [[[evidence(5)], 10]], effects: [['opened', 5]] },
    {
      what: 'more of the same is not told again',
      steps: [
        [[evidence(0)], 0],
        [[evidence(1)], 1],
      ],
      effects: [['opened', 0]],
    },
    {
      what: 'escalates with its consequences',
      steps: [
        [[evidence(0)], 0],
        [[evidence(1, lost(9))], 1],
      ],
      effects: [
        ['opened', 0],
        ['escalated', 1],
      ],
    },
    {
      what: 'not quiet before its time',
      steps: [
        [[evidence(0)], 0],
        [[], quiet - 1],
      ],
      effects: [['opened', 0]],
    },
    {
      what: 'quiet at its time, however late it is noticed',
      steps: [
        [[evidence(0)], 0],
        [[], quiet + 77],
      ],
      effects: [
        ['opened', 0],
        ['quieted', quiet],
      ],
    },
    {
      what: 'quiet exactly at its time',
      steps: [
        [[evidence(0)], 0],
        [[], quiet],
      ],
      effects: [
        ['opened', 0],
        ['quieted', quiet],
      ],
    },
    {
      what: 'not resolved before its time',
      steps: [
        [[evidence(0)], 0],
        [[], resolved - 1],
      ],
      effects: [
        ['opened', 0],
        ['quieted', quiet],
      ],
    },
    {
      what: 'reopens out of quiet',
      steps: [
        [[evidence(0)], 0],
        [[], quiet],
        [[evidence(quiet + 5)], quiet + 5],
      ],
      effects: [
        ['opened', 0],
        ['quieted', quiet],
        ['reopened', quiet + 5],
      ],
    },
    {
      what: 'resolves by itself',
      steps: [
        [[evidence(0)], 0],
        [[], resolved],
      ],
      effects: [
        ['opened', 0],
        ['quieted', quiet],
        ['resolved', resolved],
      ],
    },
    {
      what: 'reopens after it was resolved',
      steps: [
        [[evidence(0)], 0],
        [[evidence(resolved + 1)], resolved + 1],
      ],
      effects: [
        ['opened', 0],
        ['quieted', quiet],
        ['resolved', resolved],
        ['reopened', resolved + 1],
      ],
    },
    {
      what: 'is a new one after a long time',
      steps: [
        [[evidence(0)], 0],
        [[], resolved],
        [[evidence(resolved + REOPENED_WITHIN_MS + 1)], resolved + REOPENED_WITHIN_MS + 1],
      ],
      effects: [
        ['opened', 0],
        ['quieted', quiet],
        ['resolved', resolved],
        ['opened', resolved + REOPENED_WITHIN_MS + 1],
      ],
    },
    {
      what: 'servers and causes are apart',
      steps: [[[evidence(0), evidence(1, { server: 'b' }), evidence(2, { cause: 'blind' })], 3]],
      effects: [
        ['opened', 0],
        ['opened', 1],
        ['opened', 2],
      ],
    },
    {
      what: 'a clock that runs backwards changes nothing',
      steps: [
        [[evidence(0)], quiet - 1],
        [[], 0],
      ],
      effects: [['opened', 0]],
    },
  ])('$what', ({ steps, effects }) => expect(told(run(...steps).effects)).toEqual(effects));

  test('evidence from before it was resolved is counted, not a relapse', () => {
    const first = run([[evidence(0)], 10]);
    const acted = resolveIncident(first.book, KEY, T0 + 100);
    if (!acted.ok) return expect.fail(acted.error.message);
    const [late, lateEffects] = advanceIncidents(acted.value[0], [evidence(50)], T0 + 200);
    expect(lateEffects).toEqual([]);
    expect(incident(late)).toMatchObject({ state: 'resolved', toll: { attempts: 2 } });
    expect(told(advanceIncidents(late, [evidence(201)], T0 + 201)[1])).toEqual([['reopened', 201]]);
  });
});

describe('severity', () => {
  test.each<[Partial<Evidence>, string]>([
    [{}, 'error'],
    [lost(1), 'critical'],
    [{ callsLost: 1 }, 'critical'],
    [{ cause: 'cross_session_replay', severity: 'info' }, 'critical'],
    [{ cause: 'resume_unavailable', severity: 'info' }, 'warning'],
    [{ cause: 'blind', severity: 'info' }, 'warning'],
  ])('%o is %s', (more, severity) => expect(run([[evidence(0, more)], 0]).effects[0]?.incident.severity).toBe(severity));
  test('a storm of many sessions is more than a warning', () => {
    const pieces = Array.from({ length: 10 }, (_, n) => evidence(n, { cause: 'reconnect_storm', severity: 'warning', session: `s${n}` }));
    expect(run([pieces, 10]).effects.map(({ type, incident: { severity } }) => [type, severity])).toEqual([
      ['opened', 'warning'],
      ['escalated', 'error'],
    ]);
  });
});

describe('words', () => {
  test('title and sentence', () => {
    const { book } = run([[evidence(0, lost(400)), evidence(1, { ...lost(12), session: 'b' }), evidence(2, { callsLost: 1 })], 3]);
    expect(incidentTitle(incident(book))).toBe('payments-mcp loses events in silence');
    expect(incidentSentence(incident(book))).toBe('412 events lost, 1 answer never delivered in 2 sessions since 2025-12-01 02:14 UTC.');
  });
  test.each<[Partial<Evidence>, string]>([
    [lost(0, false), '1 unsafe resume in 1 session since 2025-12-01 02:14 UTC.'],
    [lost(5, false), 'At least 5 events lost in 1 session since 2025-12-01 02:14 UTC.'],
    [
      { cause: 'doubled_calls', attempts: 0, events: null, callsDoubled: 2 },
      '2 calls possibly run twice in 1 session since 2025-12-01 02:14 UTC.',
    ],
    [
      { cause: 'reconnect_storm', attempts: 0, events: null, finding: 'reconnect_loop' },
      '1 finding in 1 session since 2025-12-01 02:14 UTC.',
    ],
    [{ cause: 'blind', session: null, attempts: 1200 }, '1,200 attempts without a verdict since 2025-12-01 02:14 UTC.'],
  ])('%o', (more, sentence) =>
    expect(incidentSentence(Object.values(run([[evidence(0, more)], 0]).book.incidents)[0] ?? expect.fail())).toBe(sentence),
  );
  test('a history without a clock has no since', () => {
    const { book } = run([[evidence(0, lost(9))], 1]);
    expect(incidentSentence({ ...incident(book), openedAt: 0 })).toBe('9 events lost in 1 session.');
  });
  test('the same loss seen by attempts and by findings is told once', () => {
    const finding = evidence(1, { events: { of: 'finding', count: 9n, exact: true }, finding: 'gap', attempts: 0 });
    expect(eventsOf(incident(run([[evidence(0, lost(9)), finding], 2]).book).toll)).toBe(9n);
  });
});

describe('by hand', () => {
  const two = run([
    [evidence(0, lost(3)), evidence(1, { ...lost(4), session: 'b' }), evidence(2, { cause: 'blind', session: 'c' })],
    3,
  ]).book;

  test('merging moves counts and later evidence', () => {
    const merged = mergeIncidents(two, 'blind/payments-mcp', KEY, T0 + 5);
    if (!merged.ok) return expect.fail(merged.error.message);
    expect(told(merged.value[1])).toEqual([['resolved', 5]]);
    const [book, effects] = advanceIncidents(merged.value[0], [evidence(6, { cause: 'blind', session: 'd' })], T0 + 6);
    expect(effects).toEqual([]);
    expect(incident(book).toll).toMatchObject({ attempts: 4, sessions: ['a', 'b', 'c', 'd'] });
  });
  test('splitting sends later evidence of its sessions to the part', () => {
    const split = splitIncident(two, KEY, ['b'], T0 + 5);
    if (!split.ok) return expect.fail(split.error.message);
    const [book] = advanceIncidents(split.value[0], [evidence(6, { session: 'b' }), evidence(7, { session: 'a' })], T0 + 7);
    expect(incident(book).toll).toMatchObject({ attempts: 3, sessions: ['a'] });
    expect(incident(book, `${KEY}#2`).toll).toMatchObject({ attempts: 1, sessions: ['b'] });
  });
  test('resolving and reopening are told once', () => {
    const resolved = resolveIncident(two, KEY, T0 + 5);
    if (!resolved.ok) return expect.fail();
    expect(resolveIncident(resolved.value[0], KEY, T0 + 6)).toMatchObject({ value: [{}, []] });
    const reopened = reopenIncident(resolved.value[0], KEY, T0 + 7);
    expect(reopened).toMatchObject({ value: [{}, [{ type: 'reopened', incident: { state: 'open', reopened: 1 } }]] });
  });
  test.each([
    { what: 'unknown', acted: () => resolveIncident(two, 'toString', T0), code: 'incident_not_found' },
    { what: 'into itself', acted: () => mergeIncidents(two, KEY, KEY, T0), code: 'incident_same' },
    { what: 'strangers', acted: () => splitIncident(two, KEY, ['z'], T0), code: 'session_not_found' },
    { what: 'all of them', acted: () => splitIncident(two, KEY, ['a', 'b'], T0), code: 'incident_would_be_empty' },
  ])('$what is refused', ({ acted, code }) => expect(acted()).toMatchObject({ ok: false, error: { code } }));
});

describe('rates', () => {
  const steps = (newest: Partial<RateStep>, usual: Partial<RateStep> = {}, length = BASELINE_STEPS_MIN): RateStep[] => {
    const none = { attempts: 0, resumeUnavailable: 0, unverifiable: 0, sessions: 0 };
    return [...Array.from({ length }, () => ({ ...none, ...usual })), { ...none, ...newest }];
  };
  const causes = (all: RateStep[]) => evidenceOfRates({ server: 's', at: T0, steps: all }).map(({ cause }) => cause);
  test.each([
    { what: 'a spike against a quiet past', all: steps({ resumeUnavailable: 5 }), found: ['resume_unavailable'] },
    { what: 'too few', all: steps({ resumeUnavailable: 4 }), found: [] },
    { what: 'its usual level', all: steps({ resumeUnavailable: 100 }, { resumeUnavailable: 90 }), found: [] },
    { what: 'far above its usual level', all: steps({ resumeUnavailable: 138 }, { resumeUnavailable: 90 }), found: ['resume_unavailable'] },
    { what: 'no past to compare with', all: steps({ resumeUnavailable: 19 }, {}, 3), found: [] },
    { what: 'no past, but many', all: steps({ resumeUnavailable: 20 }, {}, 3), found: ['resume_unavailable'] },
    { what: 'a storm', all: steps({ attempts: 60, sessions: 20 }), found: ['reconnect_storm'] },
    { what: 'many clients that come back once are no storm', all: steps({ attempts: 600, sessions: 600 }), found: [] },
    { what: 'blind', all: steps({ attempts: 20, unverifiable: 10, sessions: 20 }), found: ['blind'] },
    { what: 'half blind', all: steps({ attempts: 20, unverifiable: 9, sessions: 20 }), found: [] },
    { what: 'nothing', all: [], found: [] },
  ])('$what', ({ all, found }) => expect(causes(all)).toEqual(found));
  test('an earlier spike hardly raises the bar', () => expect(spikeFrom([0, 0, 0, 0, 0, 0, 500, 0, 0, 0, 0, 0], 5)).toBe(5));
});

test('only unsafe resumes speak by themselves', () => {
  const attempt = { at: T0, server: 's', session: 'a', decision: { reason: 'hole' as const, gap: { count: 9 } } };
  expect(evidenceOfAttempt({ ...attempt, assessment: 'correct' })).toBeNull();
  expect(evidenceOfAttempt({ ...attempt, assessment: 'unsafe_resume' })).toMatchObject({
    cause: 'skipped_events',
    events: { count: 9n, exact: true },
  });
});

describe('laws', () => {
  const pieces = fc.array(
    fc
      .record({
        at: fc.integer({ min: 0, max: 4 * RESOLVED_AFTER_MS }),
        cause: fc.constantFrom(...CAUSES),
        session: fc.constantFrom('a', 'b', null),
        count: fc.nat(5),
      })
      .map(({ at, cause, session, count }) => evidence(at, { cause, session, ...lost(count) })),
    { maxLength: 30 },
  );
  const ALLOWED: Record<string, readonly string[]> = {
    none: ['opened'],
    open: ['escalated', 'quieted', 'resolved'],
    quiet: ['reopened', 'resolved', 'escalated'],
    resolved: ['reopened', 'opened', 'escalated'],
  };

  test('effects follow the machine, in order of time per incident, and severity never falls', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(pieces, fc.nat(8 * RESOLVED_AFTER_MS)), { maxLength: 6 }), (steps) => {
        const last = new Map<string, IncidentEffect>();
        for (const effect of run(...steps).effects) {
          const before = last.get(effect.incident.key);
          expect(ALLOWED[before?.incident.state ?? 'none']).toContain(effect.type);
          if (before !== undefined && effect.type !== 'opened') {
            expect(['info', 'warning', 'error', 'critical'].indexOf(effect.incident.severity)).toBeGreaterThanOrEqual(
              ['info', 'warning', 'error', 'critical'].indexOf(before.incident.severity),
            );
          }
          last.set(effect.incident.key, effect);
        }
      }),
    );
  });
  test('evidence in one step or piece by piece ends in the same incidents', () => {
    fc.assert(
      fc.property(pieces, (all) => {
        const end = 5 * RESOLVED_AFTER_MS;
        const sorted = all.toSorted((a, b) => a.at - b.at);
        const apart = run(...sorted.map((piece): [Evidence[], number] => [[piece], piece.at - T0]), [[], end]);
        const together = run([all, end]);
        expect(apart.book).toEqual(together.book);
        expect(apart.effects.map(({ type, at }) => `${at} ${type}`).sort()).toEqual(
          together.effects.map(({ type, at }) => `${at} ${type}`).sort(),
        );
      }),
    );
  });
});
