import { expect, test } from 'vitest';
import { snippets } from '@/components/first-run/snippets';
import { judgeAttempt } from '@/lib/resume/judge';
import { attemptFacts, serverAct } from '@/lib/wire/attempt-facts';
import { decodeRecord } from '@/lib/wire/decode-record';

const ORIGIN = 'http://127.0.0.1:4700';

test.each(snippets(ORIGIN))('the $id lines name the origin that the page was read from', ({ text }) => {
  expect(text).toContain(ORIGIN);
});

test('the record of the curl line is telemetry, and is judged correct', () => {
  const body = /-d '(.*)'$/s.exec(snippets(ORIGIN)[0]?.text ?? '')?.[1] ?? '';
  const decoded = decodeRecord(JSON.parse(body));
  if (!decoded.ok || decoded.value.type !== 'resume_attempt') throw new Error('the snippet holds no resume attempt');
  expect(judgeAttempt(attemptFacts(decoded.value), serverAct(decoded.value)).assessment).toBe('correct');
});
