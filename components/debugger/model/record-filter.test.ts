import { expect, test } from 'vitest';
import { type FilterLine, lineAt, readFilter } from '@/components/debugger/model/record-filter';
import { entriesOf } from '@/components/session/entries';
import { S02_RECORDS, seen } from '@/tests/debugger/sample-history';

const { steps, marks, plotted } = seen(S02_RECORDS);
const lines = entriesOf(steps).flatMap((entry): FilterLine[] => {
  const step = steps[entry.last];
  if (step === undefined) return [];
  const findings = step.record.type === 'deliver' && entry.words.subject === 'c2' ? [{ code: 'gap' as const }] : [];
  return [
    {
      entry,
      step,
      record: step.record,
      mark: marks.get(entry.last)?.mark ?? null,
      gap: plotted.get(entry.last)?.gapCount ?? null,
      findings,
    },
  ];
});
const shown = (filter: string) => lines.filter(readFilter(filter)).map(({ entry }) => entry.words.type);

test.each([
  ['', lines.length],
  ['type:', lines.length],
  ['type:resume', 1],
  ['type:resume_attempt', 1],
  ['mark:unsafe', 1],
  ['gap>0', 1],
  ['gap>=9', 1],
  ['gap>9', 0],
  ['gap<9', 0],
  ['gap=9', 1],
  ['finding:gap', 1],
  ['conn:c2', 3],
  ['CONN:C2 type:deliver', 1],
  ['memory', 1],
  ['e_1043', 2],
  ['unknown:thing', 0],
  ['gap>', 0],
])('%s lets %d lines through', (filter, count) => {
  expect(shown(filter)).toHaveLength(count);
});

test('every record is found in its line, and one that the filter left out in none', () => {
  for (const [place, { entry }] of lines.entries()) expect([lineAt(lines, entry.first), lineAt(lines, entry.last)]).toEqual([place, place]);
  const evictions = lines.filter(readFilter('type:evict'));
  expect([lineAt(evictions, 0), lineAt(evictions, 50), lineAt(evictions, 53)]).toEqual([-1, 0, -1]);
});
