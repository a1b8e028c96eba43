import { expect, test } from 'vitest';
import { newId } from '@/components/samples/new-id';
import { SAMPLE_S01 } from '@/components/samples/s01';
import { SAMPLE_S02 } from '@/components/samples/s02';
import type { Sample } from '@/components/samples/sample';
import { judgeAttempt } from '@/lib/resume/judge';
import { attemptFacts, serverAct } from '@/lib/wire/attempt-facts';
import { decodeRecord } from '@/lib/wire/decode-record';
import type { ResumeAttemptRecord, TelemetryRecord } from '@/lib/wire/schema';
import s01 from '@/tests/histories/S01.json';
import s02 from '@/tests/histories/S02.json';

const START = Date.UTC(2025, 11, 1, 2, 14);
const SAMPLES = [SAMPLE_S01, SAMPLE_S02] as const;

function build(sample: Sample): TelemetryRecord[] {
  let next = 0;
  return sample.records(START, 'token', () => `00000000-0000-4000-8000-${String(next++).padStart(12, '0')}`);
}

const attempts = (sample: Sample) => build(sample).filter((record): record is ResumeAttemptRecord => record.type === 'resume_attempt');

test.each(SAMPLES)('every record of $id is telemetry as the intake takes it', (sample) => {
  for (const record of build(sample)) expect(decodeRecord(JSON.parse(JSON.stringify(record)))).toMatchObject({ ok: true });
});

test.each([
  [SAMPLE_S01, s01[0]],
  [SAMPLE_S02, s02[2]],
] as const)('$id is judged as the recorded history expects', (sample, history) => {
  const judged = attempts(sample).map((record) => judgeAttempt(attemptFacts(record), serverAct(record)));
  expect(judged.map(({ assessment, decision }) => ({ assessment, reason: decision?.reason, status: decision?.status }))).toEqual(
    history?.expect.resumes.map(({ assessment, reason, status }) => ({ assessment, reason, status })),
  );
});

test('S02 loses nine events, as it was observed', () => {
  const [record] = attempts(SAMPLE_S02);
  expect(record && judgeAttempt(attemptFacts(record), serverAct(record)).decision?.gap?.count).toBe(9n);
});

test.each(SAMPLES)('$id stands on the clock in the order in which it happened, under one server', (sample) => {
  const records = build(sample);
  const clock = records.map((record) => Date.parse(String(record.at)));
  expect(clock).toEqual([...clock].sort((a, b) => a - b));
  expect(new Set(records.map((record) => record.server))).toEqual(new Set([sample.server]));
  expect(new Set(records.map((record) => record.id)).size).toBe(records.length);
});

test('a fresh id is a version 4 UUID, and never the same twice', () => {
  const ids = Array.from({ length: 200 }, newId);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(ids).size).toBe(ids.length);
});
