import { expect, test } from 'vitest';
import { createAudit } from '@/lib/audit/audit';
import { decodeRecord } from '@/lib/wire/decode-record';

const AT = 1_700_000_000_000;
const MINUTE = 60_000;

type Told = Readonly<Record<string, unknown>>;

/** What the audit makes of records a second apart, and of a silence of an hour that another session's record shows. */
function audited(records: readonly Told[]) {
  const audit = createAudit();
  const later = { type: 'session', event: 'created', session: 'another', at: AT + 60 * MINUTE };
  for (const [index, record] of [...records, later].entries()) {
    const decoded = decodeRecord({ at: AT + index * 1000, session: 's', server: 'x', ...record });
    if (!decoded.ok) throw new Error(`${decoded.error.path} ${decoded.error.message}`);
    audit.push(decoded.value, index);
  }
  const { findings, resumes } = audit.finish();
  return { codes: findings.map(({ code }) => code), assessments: resumes.map(({ assessment }) => assessment) };
}

const created = { type: 'session', event: 'created', withheld_after: true };
const alone = { withheld_before: 3, withheld_after: true };
const emit = (...ids: string[]) => ({ type: 'emit', event_ids: ids });
const deliver = (conn: string, ...ids: string[]) => ({ type: 'deliver', conn, event_ids: ids });
const listen = (conn: string) => ({ type: 'open', conn, method: 'GET', status: 200 });
const resume = (conn: string, cursor: string) => ({
  type: 'resume_attempt',
  conn,
  last_event_id: cursor,
  verdict: 'resumed',
  status: 200,
});
const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `e-${String.fromCharCode(97 + from + n)}`);
/** A client that had three of ten events when it left; all of it is told. */
const AWAY = [
  { type: 'session', event: 'created' },
  listen('c1'),
  emit(...ids(1, 3)),
  deliver('c1', ...ids(1, 3)),
  { type: 'close', conn: 'c1', by: 'client' },
  emit(...ids(4, 10)),
];
const CLAIM = { replayed: { count: 7, first: ids(4, 4)[0], last: ids(10, 10)[0] } };
const [THIRD = ''] = ids(3, 3);

test.each([
  {
    name: 'a resumed connection whose close was kept back is not left open',
    records: [created, { ...resume('c1', 'e-a'), ...alone }, { type: 'session', event: 'ended', withheld_after: true }],
  },
  {
    name: 'what is written after an attempt that is told alone is not missing',
    records: [...AWAY, { ...resume('c2', THIRD), ...CLAIM, withheld_after: true }],
  },
  {
    name: 'nor when what was kept back is counted later',
    records: [...AWAY, { ...resume('c2', THIRD), ...CLAIM, withheld_after: true }, { ...emit('e-z'), withheld_before: 8 }],
  },
  {
    name: 'a connection that was attached before a stretch that was kept back may have gone in it',
    records: [...AWAY.slice(0, 4), { ...emit('e-z'), withheld_before: 20 }],
  },
  {
    name: 'a cursor that was held before it may be another by now',
    records: [...AWAY, { ...listen('c2'), withheld_before: 5 }, emit('e-z'), deliver('c2', 'e-z')],
  },
  {
    name: 'what was written in it, by a client that comes from a cursor in it, is not left out',
    records: [...AWAY, { ...resume('c2', 'e-unseen'), withheld_before: 30 }, emit('e-y'), deliver('c2', 'e-y')],
  },
])('$name', ({ records }) => {
  expect(audited(records).codes).toEqual([]);
});

test('sessions that are told alone are not taken for abandoned', () => {
  expect(audited(Array.from({ length: 30 }, (_, n) => ({ ...created, session: `s${n}` }))).codes).toEqual([]);
  expect(audited(Array.from({ length: 30 }, (_, n) => ({ type: 'session', event: 'created', session: `s${n}` }))).codes).toEqual([
    'abandoned_sessions',
  ]);
});

const NUMBERED = [
  { type: 'session', event: 'created' },
  { type: 'emit', range: [1, 5] },
];

test.each([
  { name: 'a cursor that may have been issued in it', records: [...AWAY, { ...resume('c2', 'e-unseen'), withheld_before: 30 }] },
  {
    name: 'a cursor that may have been issued before the first that was told',
    records: [created, { ...emit('e-y'), withheld_before: 9 }, resume('c2', 'e-unseen')],
  },
  { name: 'a cursor of which no event was told', records: [created, { ...resume('c2', 'e-unseen'), withheld_before: 9 }] },
  { name: 'a number above those that were told', records: [...NUMBERED, { ...resume('c2', '50'), withheld_before: 90 }] },
  { name: 'a cursor from before it', records: [...NUMBERED, { type: 'emit', range: [70, 75], withheld_before: 90 }, resume('c2', '5')] },
])('of $name no verdict is claimed', ({ records }) => {
  expect(audited(records)).toEqual({ codes: [], assessments: ['unverifiable'] });
});

test.each([
  { cursor: '71', assessment: 'correct' },
  { cursor: '80', assessment: 'unsafe_resume' },
])('a cursor of after it is judged by what was told since: $cursor is $assessment', ({ cursor, assessment }) => {
  const records = [...NUMBERED, { type: 'emit', range: [70, 75], withheld_before: 90 }, resume('c2', cursor)];
  const rest = cursor === '71' ? [{ type: 'deliver', conn: 'c2', range: [72, 75] }] : [];
  expect(audited([...records, ...rest]).assessments).toEqual([assessment]);
});

test('a stretch that was kept back heals nothing that was told in full', () => {
  const gap = [...AWAY, resume('c2', THIRD), deliver('c2', ...ids(8, 10)), { type: 'close', conn: 'c2', by: 'client' }];
  expect(audited([...gap, { ...emit('e-z'), ...alone }]).codes).toEqual(['gap']);
});
