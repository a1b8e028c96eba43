import type { IncomingHttpHeaders } from 'node:http';
import { Compile } from 'typebox/compile';
import { err, ok, type Result } from '@/lib/base/result';
import type { FieldProblem } from '@/lib/wire/field-problem';
import { RECORD_SCHEMAS } from '@/lib/wire/schema';

/**
 * Who sent a batch and which one of its batches it is, so that a batch that never arrived can be known to be
 * missing. A batch sent again carries the same numbers.
 */
export interface BatchOrigin {
  /** Name of the sending process, 1 to 256 printable characters. */
  readonly producer: string;
  /** One numbering of the producer; a restart begins another. Compared for equality only. */
  readonly epoch: string;
  /** Number of the batch within the epoch: rises by one with every new batch. */
  readonly sequence: number;
  /** Number of the first batch of the epoch, 0 or 1; null where the producer does not say, which is 1 unless it sends a batch 0. */
  readonly first: number | null;
  /** Records that the producer has dropped since the epoch began, in all. */
  readonly dropped: number;
  /** When the epoch began by the producer's clock, in epoch milliseconds; null where it does not say. */
  readonly began: number | null;
}

/** The members as they arrive: text in headers, JSON values in a frame. */
type Members = Readonly<Record<keyof BatchOrigin, unknown>>;

const HEADERS = {
  producer: 'tidemark-producer',
  epoch: 'tidemark-epoch',
  sequence: 'tidemark-sequence',
  dropped: 'tidemark-dropped',
  first: 'tidemark-first',
  began: 'tidemark-began',
} as const;
const FRAME_MEMBERS = {
  producer: 'producer',
  epoch: 'epoch',
  sequence: 'seq',
  dropped: 'dropped',
  first: 'first',
  began: 'began',
} as const;

const isInstant = Compile(RECORD_SCHEMAS.boot.properties.at);
const PRINTABLE = /^[^\p{Cc}]{1,256}$/u;

/** Reads the origin from the headers of a batch; null when the batch is not numbered. */
export function originOfHeaders(headers: IncomingHttpHeaders): Result<BatchOrigin | null, FieldProblem> {
  const members = {
    producer: headers[HEADERS.producer],
    epoch: headers[HEADERS.epoch],
    sequence: headers[HEADERS.sequence],
    dropped: headers[HEADERS.dropped],
    first: headers[HEADERS.first],
    began: headers[HEADERS.began],
  };
  return decodeOrigin(members, HEADERS);
}

/** Reads the origin from a frame whose `seq` is its number; null when the frame names no producer. */
export function originOfFrame(frame: Readonly<Record<string, unknown>>, seq: number): Result<BatchOrigin | null, FieldProblem> {
  const { producer, epoch, dropped, first, began } = frame;
  return decodeOrigin({ producer, epoch, sequence: seq, dropped, first, began }, FRAME_MEMBERS);
}

/** A count of drops without a producer has nothing to be added to and says nothing; anything else must be whole. */
function decodeOrigin(members: Members, names: Readonly<Record<keyof BatchOrigin, string>>): Result<BatchOrigin | null, FieldProblem> {
  const { producer } = members;
  if (producer === undefined || producer === null) return ok(null);
  if (typeof producer !== 'string' || !PRINTABLE.test(producer)) return err(notAName(names.producer));
  const epoch = typeof members.epoch === 'number' ? String(members.epoch) : members.epoch;
  if (typeof epoch !== 'string' || !PRINTABLE.test(epoch)) return err(notAName(names.epoch));
  const sequence = countOf(members.sequence);
  if (sequence === null) return err(notACount(names.sequence));
  const dropped = countOf(members.dropped ?? 0);
  if (dropped === null) return err(notACount(names.dropped));
  const begin = beginOf(members, sequence, names);
  return begin.ok ? ok({ producer, epoch, sequence, dropped, ...begin.value }) : begin;
}

/** What the producer says of the begin of its epoch, each null where it does not. */
function beginOf(
  members: Members,
  sequence: number,
  names: Readonly<Record<keyof BatchOrigin, string>>,
): Result<Pick<BatchOrigin, 'first' | 'began'>, FieldProblem> {
  const first = countOf(members.first ?? null);
  const isBegin = isUntold(members.first) || (first !== null && first <= 1 && first <= sequence);
  if (!isBegin) return err(notABegin(names.first));
  const began = instantOf(members.began);
  if (began === null && !isUntold(members.began)) return err(notAnInstant(names.began));
  return ok({ first, began });
}

const isUntold = (member: unknown): boolean => member === undefined || member === null;

/** RFC 3339 or epoch milliseconds, which are text in a header. */
function instantOf(member: unknown): number | null {
  const count = countOf(member);
  if (count !== null || typeof member !== 'string') return count;
  const instant = isInstant.Check(member) ? Date.parse(member) : Number.NaN;
  return instant >= 0 ? instant : null;
}

function countOf(value: unknown): number | null {
  const count = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null;
}

function notAName(path: string): FieldProblem {
  return { path, message: 'must be a name of 1 to 256 printable characters' };
}

function notABegin(path: string): FieldProblem {
  return { path, message: 'must be 0 or 1, and not above the number of the batch' };
}

function notAnInstant(path: string): FieldProblem {
  return { path, message: 'must be an instant: RFC 3339, or epoch milliseconds' };
}

function notACount(path: string): FieldProblem {
  return { path, message: 'must be an integer from 0 to 9007199254740991' };
}
