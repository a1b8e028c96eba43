import { expect, test } from 'vitest';
import { SessionBook } from '../ledger/session-book.js';
import { Deliveries, wireSession } from './learn-from-wire.js';

const IDS_MAX = 4;

/** A session whose book remembers four ids, and one connection after another of its client. */
function startSession() {
  const ledger = new SessionBook(10, IDS_MAX).start({ ...wireSession('s'), generation: 'g' });
  const connect = (cursor: string | null, stream = 'get') => {
    const deliveries = new Deliveries(cursor);
    return (...ids: string[]) =>
      deliveries
        .enter(
          ledger,
          stream,
          ids.map((id) => ({ id, digest: `of ${id}` })),
        )
        .map((record) => (record.type === 'emit' ? record.event_id : record.type));
  };
  return { connect };
}

test('every event of a connection is learned once, however many the book has forgotten', () => {
  const write = startSession().connect(null);
  const ids = Array.from({ length: 20 }, (_, n) => `e${n}`);
  expect(ids.flatMap((id) => write(id))).toEqual(ids);
  expect(write('e19')).toEqual([]);
});

test('what follows a cursor that is remembered is new, what is replayed of it is not', () => {
  const { connect } = startSession();
  connect(null)('e1', 'e2', 'e3', 'e4', 'e5', 'e6');
  expect(connect('e4')('e5', 'e6', 'e7')).toEqual(['e7']);
});

test('what follows a cursor that is forgotten is new only after an event that is remembered', () => {
  const { connect } = startSession();
  connect(null)('e1', 'e2', 'e3', 'e4', 'e5', 'e6');
  const write = connect('e1');
  expect(write('e2', 'e3')).toEqual([]);
  expect(write('e6', 'e7')).toEqual(['e7']);
  expect(write('e8')).toEqual(['e8']);
});

test('a stream that is forgotten altogether is learned again with its client’s next cursor', () => {
  const { connect } = startSession();
  connect(null)('e1', 'e2');
  connect(null, 'other')('f1', 'f2', 'f3', 'f4', 'f5');
  expect(connect('e1')('e2', 'e3')).toEqual([]);
  expect(connect('e3')('e4')).toEqual(['e4']);
});

test('while nothing is forgotten an unknown event is new after any cursor', () => {
  expect(startSession().connect('of another life')('e1')).toEqual(['e1']);
});
