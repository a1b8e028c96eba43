import type { Step } from '@/components/api/timeline';
import type { Entry } from '@/components/session/entries';
import type { Finding } from '@/lib/audit/finding';
import type { Mark } from '@/lib/resume/mark';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** What a line of the list is matched by. */
export interface FilterLine {
  readonly entry: Entry;
  readonly record: TelemetryRecord;
  /** The last step of the line, whose state is the state after it. */
  readonly step: Step;
  readonly mark: Mark | null;
  readonly gap: bigint | null;
  readonly findings: readonly Pick<Finding, 'code'>[];
}

type Test = (line: FilterLine) => boolean;

/** What the filter understands, for the hint under its field. */
export const FILTER_HINT = 'type:resume  mark:unsafe  gap>0  finding:gap  conn:c2  call:17  words';

/**
 * Reads a filter: terms apart by blanks, all of which must hold. A term that names no known member is looked for
 * in the words of the line; an unfinished one (`type:`) matches everything, so that typing never empties the list.
 */
export function readFilter(text: string): Test {
  const tests = text
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .filter((term) => term !== '')
    .map(testOf);
  return (line) => tests.every((test) => test(line));
}

function testOf(term: string): Test {
  const gap = /^gap([<>]=?|=)(\d{1,18})$/.exec(term);
  if (gap !== null) return gapTest(gap[1] ?? '=', BigInt(gap[2] ?? '0'));
  const [, member, value] = /^([a-z]+):(.*)$/.exec(term) ?? [];
  const test = member === undefined || value === undefined ? undefined : MEMBERS[member]?.(value);
  return test ?? ((line) => wordsOf(line).includes(term));
}

const MEMBERS: Readonly<Record<string, (value: string) => Test>> = {
  type:
    (value) =>
    ({ entry, record }) =>
      entry.words.type.startsWith(value) || record.type.startsWith(value),
  mark:
    (value) =>
    ({ mark }) =>
      value === '' || (mark ?? '').startsWith(value),
  finding:
    (value) =>
    ({ findings }) =>
      findings.some(({ code }) => code.startsWith(value)),
  conn:
    (value) =>
    ({ record }) =>
      value === '' || ('conn' in record && (record.conn ?? '').toLowerCase() === value),
  call:
    (value) =>
    ({ record }) =>
      value === '' || ('rpc' in record && String(record.rpc?.id ?? '').toLowerCase() === value),
};

function gapTest(comparison: string, count: bigint): Test {
  return ({ gap }) => {
    if (gap === null) return false;
    if (comparison === '=') return gap === count;
    if (gap === count) return comparison.endsWith('=');
    return comparison.startsWith('>') ? gap > count : gap < count;
  };
}

const wordsOf = ({ entry, findings }: FilterLine): string =>
  [entry.words.type, entry.words.subject, entry.words.detail, ...findings.map(({ code }) => code)].join(' ').toLowerCase();

/** Place of the line that holds record `index`, −1 when none does; lines stand in the order of their records. */
export function lineAt(lines: readonly FilterLine[], index: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((lines[middle]?.entry.first ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  const line = lines[low - 1];
  return line !== undefined && index <= line.entry.last ? low - 1 : -1;
}
