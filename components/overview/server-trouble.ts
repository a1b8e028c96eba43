import { countOf } from '@/components/format/count';
import { lossSpan, lossWords } from '@/components/overview/loss-span';
import { MARKS, type Mark } from '@/lib/resume/mark';
import type { ServerItem } from '@/lib/wire/responses';

/** The worst mark of a server: its first fault in the order of severity, a proved loss among them, else what is known of it. */
export function worstMark(server: ServerItem): Mark {
  const { marks } = server;
  if (server.loss_findings > 0) return 'unsafe_resume';
  const fault = (['unsafe_resume', 'bad_replay', 'over_refusal', 'unverifiable'] as const).find((mark) => marks[mark] > 0);
  if (fault !== undefined) return fault;
  // What did not arrive may have been a loss.
  if (server.at_least) return 'unverifiable';
  return marks.resumed + marks.refused > 0 ? 'resumed' : 'fresh';
}

/** What is wrong with a server, in few words. */
export function troubleWords(server: ServerItem, nowMs: number): string {
  const { marks } = server;
  if (marks.unsafe_resume > 0) return lossWords(lossSpan(server, nowMs), nowMs);
  switch (worstMark(server)) {
    case 'unsafe_resume':
      return `${countOf(server.loss_findings, 'finding')} of loss`;
    case 'bad_replay':
      return countOf(marks.bad_replay, 'wrong replay');
    case 'over_refusal':
      return 'Refuses cursors it could serve';
    case 'unverifiable':
      return unverifiableWords(server);
    case 'fresh':
      return 'No cursor presented';
    default:
      return 'Well';
  }
}

function unverifiableWords({ marks, at_least }: ServerItem): string {
  const seen = marks.resumed + marks.refused > 0 ? 'No loss seen, ' : '';
  if (marks.unverifiable > 0)
    return `${seen}${countOf(marks.unverifiable, 'attempt')} unverifiable${at_least ? ', telemetry is missing' : ''}`;
  return seen === '' ? 'Telemetry is missing' : `${seen}but telemetry is missing`;
}

/** Servers in the order of their trouble: by worst mark, then by how often, then by name. */
export function byTrouble(servers: readonly ServerItem[]): ServerItem[] {
  const rank = (server: ServerItem) => MARKS.indexOf(worstMark(server));
  const faults = ({ marks }: ServerItem) => marks.unsafe_resume + marks.bad_replay + marks.over_refusal;
  return [...servers].sort((a, b) => rank(a) - rank(b) || faults(b) - faults(a) || a.server.localeCompare(b.server));
}

/** Whether a server keeps less than its clients need: then the next loss is a matter of time. */
export function keepsTooLittle(server: ServerItem): boolean {
  return server.kept_max !== null && server.needed_max !== null && BigInt(server.needed_max) > BigInt(server.kept_max);
}
