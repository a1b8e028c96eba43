import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseJsonExactly } from '@/lib/base/json';
import { casesOfHistory } from '@/lib/whatif/cases-of-history';
import { outcomeOf } from '@/lib/whatif/decide-case';
import type { TelemetryRecord } from '@/lib/wire/schema';

interface RecordedCase {
  case: string;
  records: TelemetryRecord[];
  expect: { resumes?: { index: number; verdict: string; reason?: string }[] };
}

const recorded = readdirSync('tests/histories').flatMap(
  (file) => parseJsonExactly(readFileSync(`tests/histories/${file}`, 'utf8')) as RecordedCase[],
);

test.each(recorded.filter((one) => (one.expect.resumes ?? []).length > 0))(
  '$case: every resume gets the verdict that its history proves',
  ({ records, expect: expected }) => {
    const outcomes = new Map(casesOfHistory(records).map(({ index, facts }) => [index, outcomeOf(facts)]));
    for (const { index, verdict, reason } of expected.resumes ?? []) {
      expect(outcomes.get(index)).toMatchObject(reason === undefined ? { verdict } : { verdict, reason });
    }
  },
);
