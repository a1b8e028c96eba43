import type { Attempt } from '@/components/api/attempt';
import { cursorText } from '@/components/attempts/attempt-sentence';
import { formatCount, formatMs, rangeOf } from '@/components/format/count';
import { fullInstant } from '@/components/format/instant';

export interface FactLine {
  readonly name: string;
  readonly value: string;
  readonly isCode?: boolean;
}

/** The facts of an attempt as lines; what was not reported says so. */
export function factLines(attempt: Attempt): FactLine[] {
  const told = (value: unknown) => (value === undefined ? 'not reported' : value === null ? 'none' : String(value));
  return [
    { name: 'Rules say', value: rulesWords(attempt) },
    {
      name: 'Judged by',
      value: attempt.judged_by === 'history' ? 'the history of its session, which knows more' : 'the facts of its own record',
    },
    { name: 'Server did', value: actWords(attempt) },
    { name: 'Cursor', value: cursorText(attempt) ?? 'none', isCode: true },
    { name: 'Floor to head', value: logWords(attempt), isCode: true },
    { name: 'Generation', value: generationWords(attempt) },
    { name: 'Lowest usable', value: told(attempt.decision?.earliest_resumable_cursor ?? null), isCode: true },
    { name: 'Session state', value: told(attempt.session_state) },
    { name: 'Stream, conn.', value: `${attempt.stream ?? 'get'}, ${attempt.conn ?? 'not reported'}`, isCode: true },
    { name: 'Node', value: told(attempt.node) },
    { name: 'Client', value: clientWords(attempt) },
    { name: 'Revision', value: told(attempt.protocol_version) },
    { name: 'Latency', value: attempt.latency_ms === undefined ? 'not reported' : `${formatMs(attempt.latency_ms)} to the first byte` },
    { name: 'At', value: fullInstant(Date.parse(attempt.at)) },
    { name: 'Received', value: fullInstant(Date.parse(attempt.received_at)) },
  ];
}

/** What the server did, with what it claims to have replayed: `resumed, 200, 24 of 33 events`. */
export function actWords(attempt: Attempt): string {
  const status = attempt.status === null ? 'no status came' : attempt.status === undefined ? 'status not reported' : String(attempt.status);
  return [attempt.verdict, status, ...replayedWords(attempt)].join(', ');
}

function replayedWords({ replayed, decision, cursor, head }: Attempt): string[] {
  if (replayed === undefined || replayed === null) return [];
  const due = decision?.replay?.count ?? (cursor != null && head != null ? String(BigInt(head) - BigInt(cursor)) : null);
  const isWhole = due === null || String(due) === String(replayed.count) || BigInt(due) < 0n;
  return [isWhole ? `${formatCount(replayed.count)} events` : `${formatCount(replayed.count)} of ${formatCount(due)} events`];
}

function rulesWords({ decision, assessment }: Attempt): string {
  if (decision === null) return assessment === 'unverifiable' ? 'open: facts are missing' : assessment;
  return `${decision.verdict}, ${decision.reason}, ${decision.status}`;
}

function logWords({ floor, head, holes }: Attempt): string {
  const ends = `${floor ?? 'not reported'} to ${head ?? 'not reported'}`;
  if (holes === undefined || holes.length === 0) return ends;
  const shown = holes.slice(0, 2).map(([first, last]) => rangeOf(first, last));
  return `${ends}, without ${shown.join(', ')}${holes.length > 2 ? ` and ${holes.length - 2} more` : ''}`;
}

function generationWords({ requested_generation: asked, generation: live }: Attempt): string {
  if (asked === undefined && live === undefined) return 'not reported';
  return `asked ${asked ?? 'unknown'}, live ${live ?? 'unknown'}`;
}

function clientWords({ client }: Attempt): string {
  if (client === undefined) return 'not reported';
  return [client.name, client.version].filter((part) => part !== undefined).join(' ') || 'not reported';
}
