import type { Attempt } from '@/components/api/attempt';
import { type LadderLine, ladderLines } from '@/components/attempts/ladder-lines';
import css from '@/components/attempts/proof-ladder-view.module.css';
import { cx } from '@/components/ui/cx';
import { markSoftColour, markTextColour } from '@/components/verdict-mark/mark-style';
import { proveJudged } from '@/lib/audit/prove-judged';
import type { Mark } from '@/lib/resume/mark';
import type { ProofRow } from '@/lib/resume/proof-ladder';

/** The proof of a judgement: the rows of the verdict's table in order, the first that applies wins. */
export function ProofLadderView({ attempt }: { readonly attempt: Attempt }) {
  return <LadderView rows={proveJudged(attempt, attempt.decision).rows} mark={attempt.mark} />;
}

/** The same for rows that were tested with more than one record's facts. */
export function LadderView({ rows, mark }: { readonly rows: readonly ProofRow[]; readonly mark: Mark }) {
  return (
    <ol className={css['ladder']} data-testid="proof">
      {ladderLines(rows).map((line) => (
        <Line key={line.rows} line={line} mark={mark} />
      ))}
    </ol>
  );
}

function Line({ line, mark }: { readonly line: LadderLine; readonly mark: Mark }) {
  const hasFired = line.outcome === 'applies';
  const colour = hasFired ? { color: markTextColour(mark) } : undefined;
  return (
    <li
      className={cx(css['line'], hasFired && css['fired'], line.outcome === 'not_reached' && css['quiet'])}
      style={hasFired ? { background: markSoftColour(mark) } : undefined}
    >
      <span style={colour}>{line.rows}</span>
      <span>{line.sentence}</span>
      <span style={colour}>{outcomeWords(line)}</span>
    </li>
  );
}

function outcomeWords({ outcome, rows }: LadderLine): string {
  switch (outcome) {
    case 'passes':
      return 'passed';
    case 'untested':
      return 'not tested';
    case 'not_reached':
      return '';
    case 'applies':
      return rows === '14' ? 'resumes' : rows === '0' || rows === '4' ? 'applies' : 'refuses';
  }
}
