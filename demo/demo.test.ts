import { expect, test } from 'vitest';
import { judgeAttempt } from '@/lib/resume/judge';
import { attemptFacts, serverAct } from '@/lib/wire/attempt-facts';
import { RecordingReceiver } from '@/packages/mcp/tests/recording-receiver';
import { runDemo } from './run-demo';

/** Outcomes that the demo promises to show, as server, assessment and reason. */
const PROMISED = [
  'orders correct ok',
  'orders unsafe_resume below_floor',
  'reports correct ok',
  'reports correct below_floor',
  'reports correct unknown_cursor',
  'calendar unsafe_resume generation_mismatch',
  'calendar-guarded correct generation_mismatch',
  'everything unsafe_resume unknown_cursor',
];

test('real servers and clients show every promised outcome, and every record is readable', async () => {
  const receiver = new RecordingReceiver();
  const url = await receiver.listen();
  const over = new AbortController();
  const said: string[] = [];
  const running = runDemo({ url, key: undefined, say: (line) => said.push(line), signal: over.signal });
  const outcomes = () =>
    new Set(
      receiver.of('resume_attempt').map((record) => {
        const { decision, assessment } = judgeAttempt(attemptFacts(record), serverAct(record));
        return `${record.server} ${assessment} ${decision?.reason}`;
      }),
    );
  await Promise.race([running, receiver.until(() => PROMISED.every((outcome) => outcomes().has(outcome)))]);
  over.abort();
  await running;
  expect([...outcomes()]).toEqual(expect.arrayContaining(PROMISED));
  expect(receiver.problems).toEqual([]);
  expect(said.filter((line) => line.includes('failed'))).toEqual([]);
  for (const type of ['boot', 'session', 'emit', 'evict', 'open', 'deliver', 'close', 'request'] as const)
    expect(receiver.of(type), type).not.toEqual([]);
  await receiver.close();
});
