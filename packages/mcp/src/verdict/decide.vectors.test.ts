import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseJsonExactly } from '@/lib/base/json';
import { encodeDecision } from '@/lib/wire/encode-decision';
import { decodeVerdictRequest } from '@/lib/wire/verdict-request';
import { decideResume } from './decide.js';

interface Vector {
  input: unknown;
  expect: Record<string, unknown>;
}

const vectors = parseJsonExactly(readFileSync(new URL('../../../../tests/vectors/verdicts.json', import.meta.url), 'utf8')) as Vector[];

/** Positions compare as integers, whether the vector wrote them as numbers or as text. */
function asIntegers(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(asIntegers);
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asIntegers(member)]));
  return value;
}

test.each(vectors.map((vector, index) => ({ name: `${index} ${String(vector.expect['reason'])}`, vector })))(
  'the package agrees with worked verdict $name',
  ({ vector }) => {
    const decoded = decodeVerdictRequest(vector.input);
    if (!decoded.ok) throw new Error(`${decoded.error.path} ${decoded.error.message}`);
    const { policy, session, log, request } = decoded.value;
    const facts = {
      protocolVersion: request.protocolVersion,
      sessionState: session.state,
      generation: session.generation,
      lastEventId: request.lastEventId,
      cursor: request.cursor,
      requestedGeneration: request.generation,
    };
    const decision = decideResume(facts, log, policy.floor);
    expect(asIntegers(encodeDecision(decision))).toMatchObject(asIntegers(vector.expect) as object);
  },
);
