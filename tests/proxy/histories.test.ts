import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { auditRecords } from '@/lib/audit/audit-records';
import type { AuditAnswer } from '@/lib/audit/finding';
import { type Played, play, type RecordedCase, recordedCase } from '@/tests/proxy/history-player';

/** Numbers of the recorded cases of each kind. */
const KINDS: Readonly<Record<string, readonly number[]>> = {
  'K1 stale or unknown session': [1, 2, 3, 4, 6],
  'K2 floor': [9, 10, 11, 13, 15, 16, 18],
  'K3 generation': [19, 20, 24, 25, 26],
  'K4 reconnect loops': [27, 28],
  'K5 stream slots': [31, 32],
  'K6 scope of replay': [34, 35, 37],
  'K7 duplicates': [39, 41, 42],
  'K8 ids and cursors': [43, 44, 46, 47, 49],
  'K9 hand-off': [50, 52, 53],
  'K10 over-refusal': [54],
  'K11 gateways': [56, 58],
  'K12 how long things last': [59],
};

const casesOf = (numbers: readonly (number | string)[]): string[] =>
  readdirSync('tests/histories')
    .filter((file) =>
      numbers.some((number) => file === `${typeof number === 'number' ? `F${String(number).padStart(2, '0')}` : number}.json`),
    )
    .flatMap((file) => (JSON.parse(readFileSync(`tests/histories/${file}`, 'utf8')) as RecordedCase[]).map((one) => one.case));

const DRIVEN = [...Object.entries(KINDS), ['the seed incidents', ['S01', 'S02']] as const].flatMap(([kind, numbers]) =>
  casesOf(numbers).map((name) => [kind, name] as const),
);

test('no recorded case is left out', () => {
  const recorded = readdirSync('tests/histories').flatMap((file) => casesOf([file.replace('.json', '')]));
  expect(DRIVEN.map(([, name]) => name).sort()).toEqual(recorded.sort());
});

test('docs/proxy.md names what shadow does not see', () => {
  const text = readFileSync('docs/proxy.md', 'utf8').replaceAll(/ \(F\w+\)/g, '');
  expect(Object.keys(UNSEEN).filter((what) => !text.includes(what))).toEqual([]);
});

function audited({ records }: Played): AuditAnswer {
  const answer = auditRecords(records);
  if (!answer.ok) throw new Error(`the proxy reported what cannot be read: ${answer.error.path} ${answer.error.message}`);
  return answer.value;
}

/** What must never be said of a proxy that enforces. */
const HARM = [
  ...['gap', 'lost_response', 'missignalled_caught_up', 'duplicate', 'cursor_not_honoured'],
  ...['cross_generation_replay', 'cross_stream_replay', 'cross_session_replay', 'id_reused'],
];

describe.each(['proxy', 'upstream'] as const)('enforced, replay %s', (replay) => {
  test.concurrent.each(DRIVEN)(
    '%s, %s: nothing is lost, repeated or mixed without a word, and its own telemetry says so',
    async (_kind, name) => {
      const { records } = recordedCase(name);
      const played = await play(records, { mode: 'enforce', replay });
      // What a server loses before anybody was sent it, only a proxy that reads on can know.
      const wrong = played.resumes.flatMap((resume) =>
        resume.wrong.filter((one) => replay === 'proxy' || !one.startsWith('missed, shown')),
      );
      expect(wrong).toEqual([]);
      const { resumes, findings } = audited(played);
      expect(resumes.map(({ assessment }) => assessment).filter((one) => one === 'unsafe_resume' || one === 'bad_replay')).toEqual([]);
      expect(findings.map(({ code }) => code).filter((code) => HARM.includes(code))).toEqual([]);
      expect(played.resumes).toHaveLength(records.filter((one) => one.type === 'resume_attempt' && one.last_event_id).length);
    },
  );
});

/** Cases of which shadow cannot see all, by what it does not see. */
const UNSEEN: Readonly<Record<string, readonly string[]>> = {
  'what a server lost before it was sent to anybody': [
    ...[
      'F09b',
      'F09c',
      'F09d',
      'F09e',
      'F09g',
      'F10a',
      'F11b',
      'F13a',
      'F13b',
      'F15a',
      'F15b',
      'F16a',
      'F18',
      'F19a',
      'F35a',
      'F37a',
      'F37b',
    ],
    ...['F43a', 'F43d', 'F44', 'F46a', 'F46b', 'F49a', 'F49c', 'F52', 'F54', 'S02a', 'S02b', 'S02c', 'S02d'],
  ],
  'what a server keeps to itself: expiry, eviction, ids that it stores and does not send, a session kept over a restart': [
    ...['F03a', 'F25a', 'F27a', 'F39', 'F42b', 'F50a', 'F50b', 'F53'],
  ],
  'two replicas behind one address': ['F06'],
  'several upstreams behind one address, each with a half of the session': ['F56'],
  'a path that cuts silent streams, which here looks like clients that leave': ['F59b'],
  'the code inside a JSON answer, which is not read': ['F02c'],
  'the hint of a tool, which stands in the list of tools': ['F41a'],
  'a connection that its server never closes': ['F31a'],
  'an id that never moves: each event under it begins a generation': ['F47a'],
  'a minute of silence, which is played as a cut': ['F27b'],
  'an initialize whose answer is a stream, which is not played': ['F58b'],
};
const isSeen = (name: string): boolean => !Object.values(UNSEEN).some((names) => names.includes(name));

describe('shadow', () => {
  test.concurrent.each(DRIVEN.filter(([, name]) => isSeen(name)))(
    '%s, %s: the audit of what the proxy reported is that of the history',
    async (_kind, name) => {
      const { records, expect: expected } = recordedCase(name);
      const { resumes, findings } = audited(await play(records, { mode: 'shadow' }));
      const codes = findings.map(({ code }) => code as string);
      for (const { code } of expected.findings ?? []) expect(codes).toContain(code);
      expect(codes.filter((code) => expected.absent?.includes(code))).toEqual([]);
      const judged = (expected.resumes ?? []).filter(({ index }) => {
        const record = records[index];
        return record?.type === 'resume_attempt' && Boolean(record.last_event_id);
      });
      for (const [at, { assessment, reason }] of judged.entries()) {
        if (assessment !== undefined) expect(resumes[at]?.assessment).toBe(assessment);
        if (reason !== undefined) expect(resumes[at]?.decision?.reason).toBe(reason);
      }
    },
  );
});
