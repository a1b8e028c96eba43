import type { ProofRow } from '@/lib/resume/proof-ladder';

export interface LadderLine {
  /** Rows that the line stands for: `11`, `1 to 3`, `13, 14`. */
  readonly rows: string;
  readonly outcome: ProofRow['outcome'];
  readonly sentence: string;
}

/** Sentences of rows that pass together, in place of three that say the same of one fact. */
const TOGETHER: readonly { readonly first: number; readonly last: number; readonly sentence: string }[] = [
  { first: 1, last: 3, sentence: 'The session is live' },
];

/**
 * The rows of a proof as lines: the rows about the session's state as one where all of them pass, and rows that
 * were not reached as one. A row that could not be tested always stands for itself: that is said, never skipped.
 */
export function ladderLines(rows: readonly ProofRow[]): LadderLine[] {
  const lines: LadderLine[] = [];
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index];
    if (row === undefined) continue;
    if (row.outcome === 'not_reached') {
      const rest = rows.slice(index);
      lines.push({ rows: rowsWords(row.row, rest.at(-1)?.row ?? row.row), outcome: 'not_reached', sentence: 'Not reached' });
      break;
    }
    const joint = TOGETHER.find((one) => one.first === row.row && rows.slice(index, index + 3).every((next) => next.outcome === 'passes'));
    if (joint === undefined) lines.push({ rows: String(row.row), outcome: row.outcome, sentence: row.sentence });
    else {
      lines.push({ rows: rowsWords(joint.first, joint.last), outcome: 'passes', sentence: joint.sentence });
      index += joint.last - joint.first;
    }
  }
  return lines;
}

function rowsWords(first: number, last: number): string {
  if (first === last) return String(first);
  return last === first + 1 ? `${first}, ${last}` : `${first} to ${last}`;
}
