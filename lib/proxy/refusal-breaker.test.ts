import { describe, expect, test } from 'vitest';
import { isOfBreaker, RefusalBreaker, type RefusalStorm, type SeenCursor } from '@/lib/proxy/refusal-breaker';
import { decisionFor } from '@/lib/resume/decision';
import type { Reason } from '@/lib/resume/types';

const NOW = 1_796_000_000_000;

/** A cursor that the log places, or by its text one that it does not. */
const seen = (cursor: bigint | string, evicted = 0n): SeenCursor =>
  typeof cursor === 'string' ? { text: cursor, position: null, evicted } : { text: String(cursor), position: cursor, evicted };

interface Refused {
  readonly cursors: readonly (bigint | string)[];
  readonly evicted?: bigint;
  readonly everyMs?: number;
}

/** Notes refusals of one session one after another, and answers with the last storm. */
function stormOf({ cursors, evicted = 0n, everyMs = 1_000 }: Refused): RefusalStorm | null {
  const breaker = new RefusalBreaker();
  let storm: RefusalStorm | null = null;
  for (const [n, cursor] of cursors.entries()) storm = breaker.note('s', seen(cursor, evicted), true, NOW + n * everyMs) ?? storm;
  return storm;
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => BigInt(n + 1));

const texts = (count: number) => Array.from({ length: count }, (_, n) => `e${n}`);

describe('a client that makes progress', () => {
  test.each<Refused & { what: string; storm: boolean }>([
    { what: 'seven times', cursors: upTo(7), storm: false },
    { what: 'eight times', cursors: upTo(8), storm: true },
    { what: 'eight times with the same cursor', cursors: Array<bigint>(8).fill(5n), storm: false },
    { what: 'eight times, going back', cursors: upTo(8).reverse(), storm: false },
    { what: 'twenty times with made-up cursors', cursors: texts(20), storm: false },
    { what: 'eight times with cursors of events that were evicted', cursors: texts(8), evicted: 8n, storm: true },
    { what: 'twenty times with more cursors than events were evicted', cursors: texts(20), evicted: 7n, storm: false },
    { what: 'eight times with the same evicted cursor', cursors: Array<string>(8).fill('e1'), evicted: 9n, storm: false },
    { what: 'eight times, made-up cursors between', cursors: upTo(8).flatMap((one) => [`x${one}`, one]), storm: true },
    { what: 'eight times in more than a minute', cursors: upTo(8), everyMs: 9_000, storm: false },
  ])('refused $what: storm $storm', ({ storm, ...refused }) => {
    expect(stormOf(refused)?.kind).toBe(storm ? 'advancing_cursor' : undefined);
  });
});

describe('the rate of refusals', () => {
  const rated = ({
    shadow,
    refused,
    accepted,
  }: {
    shadow: readonly [wouldRefuse: number, of: number];
    refused: number;
    accepted: number;
  }) => {
    const breaker = new RefusalBreaker();
    for (let n = 0; n < shadow[1]; n++) breaker.noteShadow(n < shadow[0]);
    let storm: RefusalStorm | null = null;
    for (let n = 0; n < accepted; n++) storm = breaker.note(`a${n}`, seen(1n), false, NOW);
    for (let n = 0; n < refused; n++) storm = breaker.note(`r${n}`, seen('x'), true, NOW);
    return storm;
  };
  test.each([
    { what: 'more than half of what shadow took for safe', shadow: [0, 100] as const, refused: 30, accepted: 20, storm: true },
    { what: 'half', shadow: [0, 100] as const, refused: 25, accepted: 25, storm: false },
    { what: 'fifty of thousands', shadow: [0, 100] as const, refused: 50, accepted: 2_000, storm: false },
    { what: 'all, of too few', shadow: [0, 100] as const, refused: 49, accepted: 0, storm: false },
    { what: 'three times what shadow would have refused', shadow: [20, 100] as const, refused: 60, accepted: 40, storm: false },
    { what: 'more than three times that', shadow: [20, 100] as const, refused: 61, accepted: 39, storm: true },
    { what: 'all, where shadow judged too few to tell', shadow: [0, 49] as const, refused: 100, accepted: 0, storm: false },
  ])('$what: storm $storm', ({ storm, ...counts }) => {
    expect(rated(counts)?.kind).toBe(storm ? 'refusal_rate' : undefined);
  });

  test.each([
    { what: 'nothing seen, enough stored', seen: [0, 0], stored: [10, 50], rate: 0.2 },
    { what: 'more stored than seen', seen: [60, 60], stored: [10, 100], rate: 0.1 },
    { what: 'more seen than stored yet', seen: [30, 60], stored: [0, 59], rate: 0.5 },
    { what: 'too few of both', seen: [0, 49], stored: [0, 49], rate: null },
  ])('what shadow foretells: $what', ({ seen: [seenRefusals = 0, seenAttempts = 0], stored: [refusals = 0, attempts = 0], rate }) => {
    const breaker = new RefusalBreaker();
    for (let n = 0; n < seenAttempts; n++) breaker.noteShadow(n < seenRefusals);
    breaker.foretell({ attempts, refusals });
    expect(breaker.predictedRate).toBe(rate);
  });
});

describe('what the breaker counts', () => {
  test.each<[Reason, boolean]>([
    ['ok', true],
    ['below_floor', true],
    ['unknown_cursor', true],
    ['generation_mismatch', false],
    ['generation_unknown', false],
    ['session_superseded', false],
    ['session_unknown', false],
    ['malformed_cursor', false],
    ['no_cursor', false],
  ])('%s: %s', (reason, isCounted) => {
    expect(isOfBreaker(decisionFor(reason, null))).toBe(isCounted);
  });
});
