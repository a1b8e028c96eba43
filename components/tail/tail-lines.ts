import type { Attempt } from '@/components/api/attempt';
import { sentenceOf } from '@/components/attempts/attempt-sentence';
import { reasonCell } from '@/components/attempts/columns';
import { markOfFinding } from '@/components/findings/finding-mark';
import type { StoredFinding } from '@/lib/audit/answer-schema';
import type { Mark } from '@/lib/resume/mark';

/** One line of the live tail. */
export interface TailLine {
  readonly kind: 'attempt' | 'finding';
  readonly id: string;
  readonly at: string;
  readonly mark: Mark;
  readonly server: string;
  /** Reason or code. */
  readonly word: string;
  readonly words: string;
  readonly href: string;
}

/**
 * Attempts and findings (each newest first) as one list, newest first, at most `most`. Findings older than the oldest
 * attempt are left out: what came between is not known.
 */
export function tailLines(attempts: readonly Attempt[], findings: readonly StoredFinding[], most: number): TailLine[] {
  const oldest = attempts.at(-1)?.at ?? '';
  const lines = [...attempts.map(lineOfAttempt), ...findings.filter(({ at }) => at >= oldest).map(lineOfFinding)];
  return lines.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)).slice(0, most);
}

function lineOfAttempt(attempt: Attempt): TailLine {
  const { id, at, mark, server } = attempt;
  return { kind: 'attempt', id, at, mark, server, word: reasonCell(attempt), words: sentenceOf(attempt), href: `/attempts/${id}` };
}

function lineOfFinding({ id, at, code, server, message }: StoredFinding): TailLine {
  return { kind: 'finding', id, at, mark: markOfFinding(code), server, word: code, words: message, href: `/findings/${id}` };
}
