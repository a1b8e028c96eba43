import { expect, test } from 'vitest';
import type { Attempt } from '@/components/api/attempt';
import { actCell, cursorCell, gapCell, hasWrongStatus, positionCell, reasonCell } from '@/components/attempts/columns';

const BASE: Attempt = {
  id: 'a',
  at: '2025-12-01T02:14:49.318Z',
  received_at: '2025-12-01T02:14:49.400Z',
  server: 's',
  session: null,
  session_label: null,
  decision: null,
  assessment: 'unverifiable',
  mark: 'unverifiable',
  judged_by: 'record',
  missing: ['head'],
  type: 'resume_attempt',
  verdict: 'resumed',
};

test.each([
  [1042, '1042'],
  ['9007199254740993', '90071…0993'],
  [null, 'none'],
  [undefined, ''],
])('a position of %s reads "%s"', (position, text) => {
  expect(positionCell(position)).toBe(text);
});

test.each([
  [{ cursor: 1042, last_event_id: 'E_1042' }, '1042'],
  [{ cursor: null, last_event_id: 'opaque' }, 'opaque'],
  [{ cursor: null, last_event_id: null }, 'none'],
  [{ last_event_id: '' }, 'none'],
])('the cursor of %j reads %s', (rest, text) => {
  expect(cursorCell({ ...BASE, ...rest })).toBe(text);
});

test('without a decision the row names the fact that is missing, and no gap', () => {
  expect([reasonCell(BASE), gapCell(BASE), reasonCell({ ...BASE, missing: [] })]).toEqual(['head not sent', '', 'open']);
});

test.each([
  [200, 'resumed 200'],
  [null, 'resumed'],
  [undefined, 'resumed'],
])('an act with status %s reads %s', (status, text) => {
  expect(actCell(status === undefined ? BASE : { ...BASE, status })).toBe(text);
});

test('a wrong status is told apart from a right one', () => {
  expect([hasWrongStatus(BASE), hasWrongStatus({ ...BASE, assessment: 'wrong_status' })]).toEqual([false, true]);
});
