import { countOf, formatCount, listOf } from '@/components/format/count';
import { sinceWords } from '@/components/format/instant';
import { blindWords } from '@/components/overview/blind-time';
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
 * The state of the fleet in one sentence: who loses events in silence and since when; or that nobody does, and
 * what of that is not known. A pure function of the summary and the present.
 */
export function fleetSentence(summary: Summary, nowMs: number): FleetSentence {
  const { totals } = summary;
  if (totals.marks.unsafe_resume > 0) return losing(summary, nowMs);
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
  const since = summary.first_unsafe_at === null ? '' : ` since ${sinceWords(Date.parse(summary.first_unsafe_at), nowMs)}`;
  const has = names.length > 1 ? 'have' : 'has';
  const who = strong(names.length === 0 ? 'A server' : listOf(names));
  const sessions = strong(countOf(totals.unsafe_sessions, 'session'));
  const isCounted = BigInt(totals.events_lost) > 0n;
  const parts = isCounted
    ? [
        who,
        plain(` ${has} silently lost ${totals.events_lost_at_least ? 'at least ' : ''}`),
        loss(countOf(totals.events_lost, 'event')),
        plain(' in '),
        sessions,
        plain(`${since}.`),
      ]
    : [
        who,
        plain(` ${has} resumed ${summary.at_least ? 'at least ' : ''}`),
        loss(countOf(totals.marks.unsafe_resume, 'cursor')),
        plain(' that had to be refused, in '),
        sessions,
        plain(`${since}.`),
      ];
  const details = [
    ...(isCounted ? [] : ['How many events that lost cannot be counted from what was reported.']),
    ...(summary.last_unsafe_at === null ? [] : [`Last unsafe resume at ${sinceWords(Date.parse(summary.last_unsafe_at), nowMs)}.`]),
    ...missingWords(summary, nowMs),
    ...othersWords(summary),
    ...faultWords(summary),
  ];
  return { mark: 'unsafe_resume', parts, details };
}

function missingWords(summary: Summary, nowMs: number): string[] {
  const words = blindWords(summary, nowMs);
  return words === null ? [] : [words];
}

function othersWords(summary: Summary): string[] {
  const others = summary.servers_seen - summary.losing.length;
  if (others <= 0 || summary.losing.length >= 10) return [];
  return [`The other ${others === 1 ? 'server loses' : `${formatCount(others)} servers lose`} nothing that we can see.`];
}

function well(summary: Summary, nowMs: number): FleetSentence {
  const { marks } = summary.totals;
  const hasFault = marks.bad_replay + marks.over_refusal > 0;
  const isUnsure = onlyUnknown(summary) || summary.at_least;
  const mark = marks.bad_replay > 0 ? 'bad_replay' : marks.over_refusal > 0 ? 'over_refusal' : isUnsure ? 'unverifiable' : 'resumed';
  const parts = onlyUnknown(summary)
    ? [plain('Whether events were lost since '), strong(sinceWords(Date.parse(summary.from), nowMs)), plain(' is not known.')]
    : summary.at_least
      ? [plain('No unsafe resume seen since '), strong(sinceWords(Date.parse(summary.from), nowMs)), plain(', but telemetry is missing.')]
      : [
          plain(hasFault ? 'No unsafe resume since ' : 'No event lost in silence since '),
          strong(`${sinceWords(Date.parse(summary.from), nowMs)}.`),
        ];
  const details = [
    ...missingWords(summary, nowMs),
    ...faultWords(summary),
    `${countOf(summary.servers_seen, 'server')} seen, ${countOf(marks.resumed, 'safe resume')}, ${countOf(marks.refused, 'rightful refusal')}.`,
  ];
  return { mark, parts, details };
}

/** Nothing but attempts that could not be judged: then nothing is known of loss. */
function onlyUnknown({ totals: { marks } }: Summary): boolean {
  return marks.unverifiable > 0 && marks.resumed + marks.refused + marks.bad_replay + marks.over_refusal === 0;
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
      last === null
        ? 'No record has arrived yet.'
        : `The newest record is of ${sinceWords(Date.parse(last), nowMs)}. Widen the range to see it.`,
    ],
  };
}
