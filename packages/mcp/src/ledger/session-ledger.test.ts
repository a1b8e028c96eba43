import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SessionBook } from './session-book.js';
import { type LedgerOptions, SessionLedger } from './session-ledger.js';

function ledgerOf(options: Partial<LedgerOptions> = {}): SessionLedger {
  return new SessionLedger({
    token: 's',
    generation: 'A',
    prior: null,
    source: 'store',
    seesEvictions: true,
    stampIds: false,
    maxIds: 100,
    ...options,
  });
}

describe('the book of a session', () => {
  test('positions follow the order of storing, whatever the ids look like', () => {
    const ledger = ledgerOf();
    for (const id of ['9', 'b', '10']) ledger.append('x', id);
    expect(ledger.cursorFacts('10')).toMatchObject({ stream: 'x', cursor: 3n, floor: 1n, head: 3n, requestedGeneration: 'A' });
  });

  test('an id that is issued twice is reused at both places', () => {
    const ledger = ledgerOf();
    for (const id of ['a', 'b', 'a']) ledger.append('x', id);
    expect(ledger.cursorFacts('a')).toMatchObject({
      cursor: 3n,
      reused: [
        { first: 1n, last: 1n },
        { first: 3n, last: 3n },
      ],
    });
  });

  test('an eviction in the middle is a hole until the floor passes it', () => {
    const ledger = ledgerOf();
    for (const id of ['a', 'b', 'c', 'd']) ledger.append('x', id);
    ledger.stream('x')?.evict(2);
    expect(ledger.cursorFacts('d')).toMatchObject({ floor: 1n, holes: [{ first: 2n, last: 2n }], earliestRetainedId: 'a' });
    ledger.stream('x')?.evict(1);
    expect(ledger.cursorFacts('d')).toMatchObject({ floor: 3n, holes: [], earliestRetainedId: 'c' });
  });

  test('a forgotten id cannot be told from one that was never issued, and is said to be unknown to us', () => {
    const ledger = ledgerOf({ maxIds: 2 });
    expect(ledger.cursorFacts('a').cursor).toBeNull();
    for (const id of ['a', 'b', 'c']) ledger.append('x', id);
    expect(ledger.cursorFacts('a').cursor).toBeUndefined();
  });

  test('the standalone stream keeps its count over what is forgotten', () => {
    const ledger = ledgerOf({ maxIds: 1 });
    ledger.append('_GET_stream', 'a');
    ledger.append('x', 'b');
    ledger.append('_GET_stream', 'c');
    expect(ledger.cursorFacts('c')).toMatchObject({ cursor: 2n, head: 2n });
  });

  test('what is learnt from the wire claims nothing about the log', () => {
    const ledger = ledgerOf({ source: 'wire' });
    ledger.append('x', 'a');
    expect(ledger.cursorFacts('a')).toMatchObject({
      cursor: undefined,
      floor: undefined,
      head: undefined,
      generation: undefined,
      stream: 'x',
    });
    expect(ledger.cursorFacts('b').cursor).toBeNull();
  });

  test('a stamp of this session names its generation; a stamp of another session was never issued here', () => {
    const before = ledgerOf({ stampIds: true, generation: 'A' }).append('x', '1').wireId;
    const other = ledgerOf({ stampIds: true, token: 'other' }).append('x', '1').wireId;
    const ledger = ledgerOf({ stampIds: true, generation: 'B' });
    const { wireId } = ledger.append('x', '1');
    expect(ledger.cursorFacts(before)).toMatchObject({ requestedGeneration: 'A', cursor: 1n });
    expect(ledger.cursorFacts(wireId)).toMatchObject({ requestedGeneration: 'B', cursor: 1n });
    expect([ledger.cursorFacts(other).cursor, ledger.cursorFacts('1').cursor]).toEqual([null, null]);
    expect([ledger.innerId(wireId), ledger.innerId(before)]).toEqual(['1', before]);
  });

  test('floor, head and holes always agree with what was evicted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.array(fc.integer({ min: 1, max: 30 })), (count, evictions) => {
        const ledger = ledgerOf();
        for (let n = 1; n <= count; n++) ledger.append('x', `id-${n}`);
        for (const position of evictions) ledger.stream('x')?.evict(position);
        const { floor = 0n, head, holes } = ledger.cursorFacts('id-1');
        const gone = new Set(evictions.filter((position) => position <= count));
        const kept = Array.from({ length: count }, (_, n) => n + 1).filter((position) => !gone.has(position));
        expect([head, floor]).toEqual([BigInt(count), BigInt(kept[0] ?? count + 1)]);
        const inHoles = (position: number) => holes.some((hole) => BigInt(position) >= hole.first && BigInt(position) <= hole.last);
        for (let n = Number(floor); n <= count; n++) expect(inHoles(n)).toBe(gone.has(n));
      }),
    );
  });
});

describe('the book of all sessions', () => {
  const start = (book: SessionBook, token: string, generation = 'A') =>
    book.start({ token, generation, restoredFrom: undefined, source: 'store', seesEvictions: false, stampIds: false });

  test('forgets the session that is idle for longest', () => {
    const book = new SessionBook(2, 10);
    start(book, 'a');
    start(book, 'b');
    book.get('a');
    start(book, 'c');
    expect([book.get('a') !== undefined, book.get('b'), book.get('c') !== undefined]).toEqual([true, undefined, true]);
  });

  test('recognises the cursors of the session that it replaced, one generation back', () => {
    const book = new SessionBook(2, 10);
    start(book, 'a', 'A').append('x', 'old');
    const live = start(book, 'a', 'B');
    live.append('x', 'new');
    expect(live.cursorFacts('old')).toMatchObject({ requestedGeneration: 'A', generation: 'B', cursor: 1n });
    expect(live.cursorFacts('new')).toMatchObject({ requestedGeneration: 'B' });
  });
});
