import type { Attempt } from '@/components/api/attempt';
import { countOf, rangeOf } from '@/components/format/count';
import { type JsonPosition, parsePosition } from '@/lib/base/position';
import { idsCarryPositions } from '@/lib/wire/id-position';

/** A stretch of a sentence; `loss` is set in the colour of the mark. */
export interface Phrase {
  readonly text: string;
  readonly isLoss: boolean;
}

const say = (text: string): Phrase => ({ text, isLoss: false });
const loss = (text: string): Phrase => ({ text, isLoss: true });

/**
 * What happened at an attempt, in words with its numbers: what the server did, what the client had, what is
 * missing. States facts only; a fact that was not reported is not guessed.
 */
export function attemptSentence(attempt: Attempt): readonly Phrase[] {
  switch (attempt.mark) {
    case 'unsafe_resume':
      return unsafeWords(attempt);
    case 'bad_replay':
      return badReplayWords(attempt);
    case 'over_refusal':
      return [say(`The server refused ${cursorWords(attempt)} though ${retainedWords(attempt)} (over-refusal).`)];
    case 'refused':
      return refusedWords(attempt);
    case 'resumed':
      return [say(resumedWords(attempt))];
    case 'fresh':
      return [say(freshWords(attempt))];
    case 'unverifiable':
      return [say(unknownWords(attempt))];
  }
}

export function sentenceOf(attempt: Attempt): string {
  return attemptSentence(attempt)
    .map((phrase) => phrase.text)
    .join('');
}

/** The cursor as the client sent it, or as it was understood. */
export function cursorText(attempt: Attempt): string | null {
  if (typeof attempt.last_event_id === 'string' && attempt.last_event_id !== '') return attempt.last_event_id;
  return attempt.cursor === null || attempt.cursor === undefined ? null : String(attempt.cursor);
}

/** How many events a client would miss; null when nothing is missing or it cannot be counted. */
export function gapCount(attempt: Attempt): JsonPosition | null {
  return attempt.decision?.gap?.count ?? null;
}

const cursorWords = (attempt: Attempt): string => {
  const text = cursorText(attempt);
  return text === null ? 'a request without a cursor' : `cursor ${text}`;
};

function replayWords(attempt: Attempt): string {
  const replayed = attempt.replayed ?? null;
  if (replayed === null) return 'The server resumed';
  const { count, first, last } = replayed;
  if (count === 0) return 'The server resumed and replayed nothing';
  if (first === null || first === undefined || last === null || last === undefined) return `The server replayed ${countOf(count, 'event')}`;
  if (numbersApart(attempt)) return `The server replayed ${countOf(count, 'event')} (ids ${rangeOf(first, last)})`;
  return `The server replayed ${rangeOf(first, last)}`;
}

/** The ids are numbered apart from the positions: both must then be named for what they are. */
function numbersApart(attempt: Attempt): boolean {
  const cursor = cursorPosition(attempt);
  return (
    cursor !== null &&
    typeof attempt.last_event_id === 'string' &&
    !idsCarryPositions({ last_event_id: attempt.last_event_id, cursor: String(cursor) })
  );
}

/** Where the cursor stands; where the history told, and no record, it is the place before the first missing event. */
function cursorPosition({ cursor, decision }: Attempt): bigint | null {
  const firstMissing = parsePosition(decision?.gap?.ranges[0]?.[0]);
  return parsePosition(cursor) ?? (firstMissing === null ? null : firstMissing - 1n);
}

function hadWords(attempt: Attempt): string {
  const text = cursorText(attempt) ?? 'nothing';
  return numbersApart(attempt) ? `${text}, at position ${cursorPosition(attempt)}` : text;
}

function unsafeWords(attempt: Attempt): readonly Phrase[] {
  const gap = attempt.decision?.gap ?? null;
  if (gap !== null) {
    const shown = gap.ranges.slice(0, 3).map(([first, last]) => rangeOf(first, last));
    const more = gap.ranges.length > 3 ? ` and ${gap.ranges.length - 3} more ranges` : '';
    const isOne = BigInt(gap.count) === 1n;
    const places = numbersApart(attempt) ? `${isOne ? 'Position' : 'Positions'} ` : '';
    return [
      say(`${replayWords(attempt)}. The client had ${hadWords(attempt)}. ${places}${shown.join(', ')}${more} (`),
      loss(countOf(gap.count, 'event')),
      say(`) ${isOne ? 'was' : 'were'} never sent.`),
    ];
  }
  return [say(`${replayWords(attempt)} for ${cursorWords(attempt)}. `), loss(unsafeReason(attempt)), say(' The rules refuse that.')];
}

function unsafeReason(attempt: Attempt): string {
  switch (attempt.decision?.reason) {
    case 'generation_mismatch':
      return `The cursor is of generation ${attempt.requested_generation ?? 'unknown'}, the live one is ${attempt.generation ?? 'none'}: another history under the same numbers.`;
    case 'generation_unknown':
      return 'The generation of the cursor is not known, so its number says nothing.';
    case 'ahead_of_head':
      return `The cursor is above head ${attempt.head ?? 'unknown'}: it was never issued in this generation.`;
    case 'unknown_cursor':
      return 'The cursor was never issued on this stream.';
    case 'id_reused':
      return 'Positions after the cursor were issued more than once.';
    case 'no_coverage':
      return `This replica began listening at ${attempt.covered_from ?? 'unknown'}, after the cursor.`;
    case 'session_evicted':
    case 'session_superseded':
    case 'session_unknown':
      return `The session was ${attempt.session_state ?? 'not live'}.`;
    default:
      return 'The cursor could not be served whole.';
  }
}

function badReplayWords(attempt: Attempt): readonly Phrase[] {
  const due = attempt.decision?.replay ?? null;
  const dueWords =
    due === null ? '' : ` Due were ${countOf(due.count, 'event')}${BigInt(due.count) === 0n ? '' : `, ${rangeOf(due.from, due.to)}`}.`;
  const sent = attempt.replayed == null ? '' : ` (${countOf(attempt.replayed.count, 'event')})`;
  return [say(`Resuming ${cursorWords(attempt)} was right, what was replayed was not. ${replayWords(attempt)}${sent}.`), loss(dueWords)];
}

function retainedWords(attempt: Attempt): string {
  const due = attempt.decision?.replay ?? null;
  if (due === null) return 'it could have resumed';
  return BigInt(due.count) === 0n ? 'nothing was missing after it' : `all of ${rangeOf(due.from, due.to)} was retained`;
}

function refusedWords(attempt: Attempt): readonly Phrase[] {
  const gap = gapCount(attempt);
  const wrong =
    attempt.assessment === 'wrong_status' && attempt.decision !== null
      ? ` It answered ${attempt.status ?? 'without a status'}; ${attempt.decision.status} tells the client the truth.`
      : '';
  const gone = gap === null ? '' : ` ${countOf(gap, 'event')} ${BigInt(gap) === 1n ? 'is' : 'are'} gone.`;
  return [
    say(`The server refused ${cursorWords(attempt)}, rightly: ${refusalReason(attempt)}.${gone}${wrong} Nothing was lost in silence.`),
  ];
}

function refusalReason(attempt: Attempt): string {
  switch (attempt.decision?.reason) {
    case 'below_floor':
      return attempt.policy?.floor === 'retained'
        ? `it is below the floor ${attempt.floor}`
        : `it is below the floor ${attempt.floor} by more than one`;
    case 'hole':
      return 'a range after it is no longer retained';
    case 'generation_mismatch':
      return `it is of generation ${attempt.requested_generation}, the live one is ${attempt.generation}`;
    case 'ahead_of_head':
      return `it is above head ${attempt.head}`;
    case 'session_evicted':
    case 'session_superseded':
    case 'session_unknown':
      return `the session was ${attempt.session_state ?? 'not live'}`;
    case undefined:
      return 'whatever the missing facts are, no rule lets it resume';
    default:
      return attempt.decision?.reason.replaceAll('_', ' ') ?? '';
  }
}

function resumedWords(attempt: Attempt): string {
  const due = attempt.decision?.replay ?? null;
  if (due !== null && BigInt(due.count) === 0n)
    return `The client had everything up to ${cursorText(attempt)}. Nothing had to be replayed.`;
  const count = due === null || numbersApart(attempt) ? '' : ` (${countOf(due.count, 'event')})`;
  return `${replayWords(attempt)}${count} after ${cursorWords(attempt)}. Nothing is missing.`;
}

function freshWords(attempt: Attempt): string {
  if (attempt.decision?.reason === 'protocol_era')
    return `Protocol revision ${attempt.protocol_version} has no resumption; there is nothing to judge.`;
  return 'The client presented no cursor. The stream starts live, without a claim of completeness.';
}

function unknownWords(attempt: Attempt): string {
  const missing = attempt.missing.length === 0 ? 'The facts do not suffice' : `Not reported: ${attempt.missing.join(', ')}`;
  return `Whether events were lost is not known. ${missing}.`;
}
