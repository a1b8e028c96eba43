import { countOf, formatCount, listOf } from '@/components/format/count';
import { sinceWords } from '@/components/format/instant';
import { blindWords } from '@/components/overview/blind-time';
import { lossCounts } from '@/components/overview/loss-findings';
import { LOSING_WITHIN_MS, lossSpan } from '@/components/overview/loss-span';
import { presenceWords } from '@/components/overview/server-presence';
import type { Mark } from '@/lib/resume/mark';
import type { Summary } from '@/lib/wire/responses';

export interface SentencePart {
  readonly text: string;
  readonly tone: 'plain' | 'strong' | 'loss';
}

export interface FleetSentence {
  readonly mark: Mark;
  readonly parts: readonly SentencePart[];
  /** What else is worth knowing, one sentence each. */
  readonly details: readonly string[];
}

const plain = (text: string): SentencePart => ({ text, tone: 'plain' });
const strong = (text: string): SentencePart => ({ text, tone: 'strong' });
const loss = (text: string): SentencePart => ({ text, tone: 'loss' });

/**
 * The state of the fleet in one sentence: who loses events in silence and since when; or what else tells of loss; or
 * that nothing does, and what of that is not known. A pure function of the summary and the present.
 */
export function fleetSentence(summary: Summary, nowMs: number): FleetSentence {
  const { totals, findings } = summary;
  if (totals.marks.unsafe_resume > 0) return losing(summary, nowMs);
  if (lossCounts(findings).total > 0) return proved(summary, nowMs);
  if (totals.marks.bad_replay > 0 && BigInt(totals.events_lost) > 0n) return leftOut(summary, nowMs);
  if (totals.attempts === 0) return silent(summary, nowMs);
  return well(summary, nowMs);
}

/** The sentence as plain text, for titles and copies. */
export function sentenceText(sentence: FleetSentence): string {
  return sentence.parts.map((part) => part.text).join('');
}

function losing(summary: Summary, nowMs: number): FleetSentence {
  const { totals, losing: servers } = summary;
  const names = servers.map((one) => one.server);
  const has = names.length > 1 ? 'have' : 'has';
  const who = strong(names.length === 0 ? 'A server' : listOf(names));
  const sessions = strong(countOf(totals.unsafe_sessions, 'session'));
  const isCounted = BigInt(totals.events_lost) > 0n;
  const end = plain(`${whenWords(summary, nowMs)}.`);
  const parts = isCounted
    ? [
        who,
        plain(` ${has} silently lost ${totals.events_lost_at_least ? 'at least ' : ''}`),
        loss(countOf(totals.events_lost, 'event')),
        plain(' in '),
        sessions,
        end,
      ]
    : [
        who,
        plain(` ${has} resumed ${summary.at_least ? 'at least ' : ''}`),
        loss(countOf(totals.marks.unsafe_resume, 'cursor')),
        plain(' that had to be refused, in '),
        sessions,
        end,
      ];
  const details = [
    ...(isCounted ? [] : ['How many events that lost cannot be counted from what was reported.']),
    ...goesOnWords(summary, nowMs),
    ...findingsWords(summary),
    ...missingWords(summary, nowMs),
    ...othersWords(summary),
    ...faultWords(summary),
    ...(summary.servers_known > summary.servers_seen ? [`${presenceWords(summary, nowMs)}.`] : []),
  ];
  return { mark: 'unsafe_resume', parts, details };
}

/** Since when, where open incidents tell of all that was counted and begin inside the range; else what the range shows. */
function whenWords(summary: Summary, nowMs: number): string {
  const spans = summary.losing.map((server) => lossSpan(server, nowMs));
  const begins = spans.flatMap(({ sinceMs, firstMs }) => (sinceMs !== null && firstMs !== null && sinceMs <= firstMs ? [sinceMs] : []));
  const isWhole = begins.length > 0 && begins.length === spans.length;
  const begin = Math.min(...begins);
  if (isWhole && begin >= Date.parse(summary.from)) return ` since ${sinceWords(begin, nowMs)}`;
  if (summary.first_unsafe_at === null) return ' in this range';
  return ` in this range, first at ${sinceWords(Date.parse(summary.first_unsafe_at), nowMs)}`;
}

/** Whether it goes on, and for how long it has where that began before the range. */
function goesOnWords(summary: Summary, nowMs: number): string[] {
  const spans = summary.losing.map((server) => lossSpan(server, nowMs));
  const lastMs = Math.max(...spans.flatMap((span) => span.lastMs ?? []));
  if (!Number.isFinite(lastMs)) return [];
  const last = sinceWords(lastMs, nowMs);
  if (!spans.some(({ isNow }) => isNow)) {
    const isPast = nowMs - Date.parse(summary.to) > LOSING_WITHIN_MS;
    return [isPast ? `Last unsafe resume of this range at ${last}.` : `Lost until ${last}: no unsafe resume was seen since.`];
  }
  const sinceMs = Math.min(...spans.flatMap((span) => (span.isNow ? (span.sinceMs ?? []) : [])));
  const before = sinceMs < Date.parse(summary.from) ? [`Losing since ${sinceWords(sinceMs, nowMs)}, before this range begins.`] : [];
  return [...before, `Last unsafe resume at ${last}.`];
}

/** Losses that the records prove although no attempt was judged unsafe. */
function proved(summary: Summary, nowMs: number): FleetSentence {
  const counts = lossCounts(summary.findings);
  const parts = [
    loss(`${summary.at_least ? 'At least ' : ''}${countOf(counts.total, 'finding')} of loss`),
    plain(' since '),
    strong(sinceWords(Date.parse(summary.from), nowMs)),
    plain(summary.totals.attempts === 0 ? ', without a resume attempt.' : ', without an unsafe resume.'),
  ];
  const details = [
    `Proved: ${counts.codes.map(({ code, count }) => `${formatCount(count)} ${code}`).join(', ')}.`,
    ...missingWords(summary, nowMs),
    ...faultWords(summary),
    ...seenWords(summary, nowMs),
  ];
  return { mark: 'unsafe_resume', parts, details };
}

function leftOut(summary: Summary, nowMs: number): FleetSentence {
  const { totals } = summary;
  const parts = [
    plain(`Wrong replays left out ${totals.events_lost_at_least ? 'at least ' : ''}`),
    loss(countOf(totals.events_lost, 'event')),
    plain(' since '),
    strong(`${sinceWords(Date.parse(summary.from), nowMs)}.`),
  ];
  return { mark: 'bad_replay', parts, details: [...missingWords(summary, nowMs), ...faultWords(summary), ...seenWords(summary, nowMs)] };
}

function missingWords(summary: Summary, nowMs: number): string[] {
  const words = blindWords(summary, nowMs);
  return words === null ? [] : [words];
}

const LOSING_MAX = 10;

function othersWords(summary: Summary): string[] {
  const others = summary.servers_seen - summary.losing.length;
  if (others <= 0 || summary.losing.length >= LOSING_MAX) return [];
  return [`No unsafe resume was seen on the other ${others === 1 ? 'server' : `${formatCount(others)} servers`}.`];
}

function findingsWords({ findings }: Summary): string[] {
  const { total } = lossCounts(findings);
  return total === 0 ? [] : [`The records prove ${countOf(total, 'finding')} of loss.`];
}

function well(summary: Summary, nowMs: number): FleetSentence {
  return { mark: wellMark(summary), parts: wellParts(summary, nowMs), details: wellDetails(summary, nowMs) };
}

function wellMark({ totals: { marks }, findings, at_least }: Summary): Mark {
  if (marks.bad_replay > 0 || criticalOf(findings) > 0) return 'bad_replay';
  if (marks.over_refusal > 0) return 'over_refusal';
  return marks.unverifiable > 0 || at_least ? 'unverifiable' : 'resumed';
}

function wellParts({ totals: { marks }, from, at_least, findings }: Summary, nowMs: number): SentencePart[] {
  const since = sinceWords(Date.parse(from), nowMs);
  const judged = marks.resumed + marks.refused + marks.bad_replay + marks.over_refusal;
  if (marks.unverifiable > 0 && judged === 0) return [plain('Whether events were lost since '), strong(since), plain(' is not known.')];
  const missing = at_least ? [strong(since), plain(', but telemetry is missing.')] : [strong(`${since}.`)];
  if (marks.unverifiable > 0)
    return [plain(`No loss seen among the ${countOf(judged, 'attempt')} that could be judged since `), ...missing];
  if (at_least) return [plain('No unsafe resume seen since '), ...missing];
  const hasFault = marks.bad_replay + marks.over_refusal + criticalOf(findings) > 0;
  return [plain(hasFault ? 'No unsafe resume since ' : 'No event lost in silence since '), ...missing];
}

function wellDetails(summary: Summary, nowMs: number): string[] {
  const critical = criticalOf(summary.findings);
  return [
    ...(critical > 0 ? [`The records prove ${countOf(critical, 'critical finding')} of another kind.`] : []),
    ...missingWords(summary, nowMs),
    ...faultWords(summary),
    ...seenWords(summary, nowMs),
  ];
}

const criticalOf = (findings: Summary['findings']): number => findings.severities['critical'] ?? 0;

/** What the sentence rests on: the servers that were heard of and the attempts that were judged right. */
function seenWords(summary: Summary, nowMs: number): string[] {
  const { marks } = summary.totals;
  const right = `${countOf(marks.resumed, 'safe resume')}, ${countOf(marks.refused, 'rightful refusal')}.`;
  const servers = presenceWords(summary, nowMs);
  return summary.servers_known > summary.servers_seen ? [`${servers}.`, right] : [`${servers}, ${right}`];
}

function faultWords({ totals: { marks } }: Summary): string[] {
  return [
    ...(marks.bad_replay > 0 ? [`${countOf(marks.bad_replay, 'replay was', 'replays were')} not what was due.`] : []),
    ...(marks.over_refusal > 0 ? [`${countOf(marks.over_refusal, 'cursor was', 'cursors were')} refused that could have resumed.`] : []),
    ...(marks.unverifiable > 0 ? [`${countOf(marks.unverifiable, 'attempt')} could not be judged: unknown, not zero.`] : []),
  ];
}

function silent(summary: Summary, nowMs: number): FleetSentence {
  const [from, to] = [Date.parse(summary.from), Date.parse(summary.to)];
  const last = summary.last_record_at;
  return {
    mark: 'fresh',
    parts: [plain('No resume attempt from '), strong(sinceWords(from, nowMs)), plain(' to '), strong(`${sinceWords(to, nowMs)}.`)],
    details: [
      ...missingWords(summary, nowMs),
      ...(summary.servers_known > summary.servers_seen ? [`${presenceWords(summary, nowMs)}.`] : []),
      last === null
        ? 'No record has arrived yet.'
        : `The newest record is of ${sinceWords(Date.parse(last), nowMs)}. Widen the range to see it.`,
    ],
  };
}
