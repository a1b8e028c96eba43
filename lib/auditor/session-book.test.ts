import { describe, expect, test } from 'vitest';
import { SessionBook } from '@/lib/auditor/session-book';
import type { TelemetryRecord } from '@/lib/wire/schema';

const LIMITS = { settleMs: 60_000, sessionsMax: 100 };
const MINUTE = 60_000;
const open = (session: string | null): TelemetryRecord => ({ type: 'open', session });
const due = (book: SessionBook, nowMs: number): (string | null)[] => book.takeDue(nowMs).due.map(({ session }) => session);

describe('whose silence is looked at', () => {
  test('a session is due once at every length of silence, and again after it spoke', () => {
    const book = new SessionBook(LIMITS, null);
    book.hear(open('a'), 0, 0);
    book.hear(open('b'), 50_000, 50_000);
    expect(due(book, 59_999)).toEqual([]);
    expect(due(book, 60_000)).toEqual(['a']);
    expect(due(book, 61_000)).toEqual([]);
    book.hear(open('a'), 100_000, null);
    expect(due(book, 110_000)).toEqual(['b']);
    expect(due(book, 160_000)).toEqual(['a']);
    expect(due(book, 170_000)).toEqual([]);
    expect(due(book, 100_000 + 6 * MINUTE)).toEqual(['b', 'a']);
    expect(due(book, 100_000 + 31 * MINUTE)).toEqual(['b', 'a']);
    expect(due(book, 100_000 + 44 * MINUTE)).toEqual([]);
  });

  test('what ended is forgotten after 45 minutes, what did not after two hours', () => {
    const book = new SessionBook(LIMITS, null);
    book.hear({ type: 'session', event: 'ended', session: 'over' }, 0, 0);
    book.hear(open('live'), 0, 0);
    const forgotten = (nowMs: number) => book.takeDue(nowMs).forgotten.map(({ session }) => session);
    expect(forgotten(45 * MINUTE - 1)).toEqual([]);
    expect(forgotten(45 * MINUTE)).toEqual(['over']);
    expect(book.size).toBe(1);
    expect(forgotten(120 * MINUTE)).toEqual(['live']);
    expect(book.size).toBe(0);
  });

  test('a session that is created anew is not over any more', () => {
    const book = new SessionBook(LIMITS, null);
    book.hear({ type: 'session', event: 'ended', session: 'a' }, 0, 0);
    book.hear({ type: 'session', event: 'created', session: 'a' }, 1, 1);
    expect(book.takeDue(46 * MINUTE).forgotten).toEqual([]);
  });

  test('beyond the bound the longest silent is forgotten first', () => {
    const book = new SessionBook({ ...LIMITS, sessionsMax: 3 }, null);
    for (const session of ['a', 'b', 'c', 'd', 'e']) book.hear(open(session), 1_000, null);
    book.hear(open('a'), 1_001, null);
    expect(book.takeDue(1_001).forgotten.map(({ session }) => session)).toEqual(['b', 'c']);
  });

  test('the time of the records goes on with our clock, and stands still where records have none', () => {
    const book = new SessionBook(LIMITS, null);
    book.hear(open('a'), 1_000, null);
    expect(book.recordTimeAt(5_000)).toBeNull();
    book.hear(open('a'), 2_000, 900_000);
    book.hear(open('a'), 3_000, 800_000);
    expect(book.recordTimeAt(2_500)).toBe(900_500);
  });

  test('a book that was written down goes on where it stood', () => {
    const book = new SessionBook(LIMITS, null);
    book.hear(open(null), 0, 0);
    book.hear({ type: 'session', event: 'ended', session: 'over' }, 1_000, 1_000);
    const again = new SessionBook(LIMITS, book.write());
    expect(again.size).toBe(2);
    expect(again.recordTimeAt(3_000)).toBe(book.recordTimeAt(3_000));
    expect(due(again, 61_000)).toEqual([null, 'over']);
    expect(again.takeDue(46 * MINUTE).forgotten.map(({ session }) => session)).toEqual(['over']);
  });
});
