import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseJsonExactly } from '@/lib/base/json';
import { decide } from '@/lib/resume/decide';
import { encodeDecision } from '@/lib/wire/encode-decision';
import { decodeVerdictRequest } from '@/lib/wire/verdict-request';

interface Vector {
  input: unknown;
  expect: Record<string, unknown>;
}

const vectors = parseJsonExactly(readFileSync(new URL('../../tests/vectors/verdicts.json', import.meta.url), 'utf8')) as Vector[];

/** Positions compare as integers, whether the vector wrote them as numbers or as text. */
function asIntegers(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(asIntegers);
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asIntegers(member)]));
  return value;
}

describe('worked verdicts', () => {
  test('there are vectors to run', () => expect(vectors.length).toBeGreaterThan(300));

  test.each(vectors.map((vector, index) => ({ name: `${index} ${String(vector.expect['reason'])}`, vector })))('$name', ({ vector }) => {
    const decoded = decodeVerdictRequest(vector.input);
    if (!decoded.ok) throw new Error(`${decoded.error.path} ${decoded.error.message}`);
    const { policy, session, log, request } = decoded.value;
    expect(asIntegers(encodeDecision(decide(policy, session, log, request)))).toMatchObject(asIntegers(vector.expect) as object);
  });
});
