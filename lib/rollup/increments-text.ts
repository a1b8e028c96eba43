import { clampToInt64 } from '@/lib/base/int64';
import type { BatchNote, Rejected, RejectedUnnumbered } from '@/lib/rollup/batch-numbers';
import {
  addAnnotations,
  addHour,
  type HourSums,
  type Increments,
  noIncrements,
  type SessionHour,
  type Span,
  serverAt,
  sessionAt,
} from '@/lib/rollup/increments';

/**
 * Increments as text: one line per entry, its fields separated by spaces, an absent number as `-`. JSON would cost
 * the intake several times as much and cannot hold integers of 64 bits.
 */
export function writeIncrements(increments: Increments): string {
  let text = '';
  for (const [key, s] of increments.minutes) text += `m ${key} ${s.attempts} ${s.unavailable} ${s.gapEvents} ${s.uncounted}\n`;
  for (const [key, count] of increments.histogram) text += `g ${key} ${count}\n`;
  for (const [type, span] of increments.types) text += `t ${type} ${spanText(span)}\n`;
  for (const [id, server] of increments.servers) {
    text += `v ${id} ${spanText(server)}\n`;
    for (const [node, span] of server.nodes) text += `n ${id} ${node} ${spanText(span)}\n`;
    for (const [key, count] of server.annotations) text += `a ${id} ${key} ${count} ${server.firstMs}\n`;
    for (const [key, sums] of server.hours) text += `h ${id} ${key} ${hourText(sums)}\n`;
  }
  for (const [ref, s] of increments.sessions) {
    text += `s ${ref} ${s.server} ${spanText(s)} ${s.attempts} ${s.unsafe} ${sessionHoursText(s.hours)}\n`;
  }
  text += missingText(increments);
  for (const key of increments.stale) text += `x ${key}\n`;
  return text;
}

/** What is known to be missing, or may be. */
function missingText({ batches, drops, rejected }: Increments): string {
  let text = '';
  for (const batch of batches) text += `b ${batchText(batch)}\n`;
  for (const { server, node, place, records, atMs, receivedMs } of drops) {
    text += `d ${server} ${node ?? '-'} ${place} ${records} ${atMs} ${receivedMs}\n`;
  }
  for (const some of rejected) text += `r ${unnumberedText(some)}\n`;
  return text;
}

/** Reads what `writeIncrements` wrote. */
export function readIncrements(text: string): Increments {
  const increments = noIncrements();
  for (const line of text.split('\n')) if (line !== '') readLine(increments, line.split(' '));
  return increments;
}

function readLine(into: Increments, [kind, ...fields]: string[]): void {
  const number = (index: number): number => Number(fields[index]);
  switch (kind) {
    case 'm':
      into.minutes.set(number(0), { attempts: number(1), unavailable: number(2), gapEvents: BigInt(fields[3] ?? 0), uncounted: number(4) });
      break;
    case 'g':
      into.histogram.set(number(0), number(1));
      break;
    case 't':
      into.types.set(number(0), readSpan(fields, 1));
      break;
    case 'v':
      Object.assign(serverAt(into, number(0), number(1)), readSpan(fields, 1));
      break;
    case 'n':
      serverAt(into, number(0), number(2)).nodes.set(number(1), readSpan(fields, 2));
      break;
    case 'a':
      addAnnotations(serverAt(into, number(0), number(3)), number(1), number(2));
      break;
    case 'h':
      serverAt(into, number(0), number(6)).hours.set(number(1), readHour(fields));
      break;
    case 'x':
      into.stale.add(fields.join(' '));
      break;
    case 's':
      readSession(into, fields);
      break;
    case 'b':
      into.batches.push(readBatch(fields));
      break;
    case 'r':
      into.rejected.push(readUnnumbered(fields));
      break;
    case 'd':
      into.drops.push({
        server: number(0),
        node: fields[1] === '-' ? null : number(1),
        place: number(2),
        records: number(3),
        atMs: number(4),
        receivedMs: number(5),
      });
      break;
    default:
      throw new RangeError(`unknown increment ${kind}`);
  }
}

function readSession(into: Increments, fields: readonly string[]): void {
  const [ref = '', server, , , , attempts, unsafe, hours = '-'] = fields;
  const session = sessionAt(into, ref, Number(server), Number(fields[2]));
  Object.assign(session, readSpan(fields, 2), { attempts: Number(attempts), unsafe: Number(unsafe) });
  if (hours === '-') return;
  // Before unsafe resumes were told per hour, all that was known is that there were some in these hours.
  const untold = Number(unsafe) > 0 && !hours.includes(':') ? '1' : '0';
  for (const entry of hours.split(',')) {
    const [hour, itsUnsafe = untold] = entry.split(':');
    addHour(session.hours, Number(hour), Number(itsUnsafe));
  }
}

function sessionHoursText(hours: readonly SessionHour[]): string {
  return hours.length === 0 ? '-' : hours.map(({ hour, unsafe }) => (unsafe === 0 ? String(hour) : `${hour}:${unsafe}`)).join(',');
}

/** Names may hold spaces, which separate fields. */
function batchText(b: BatchNote): string {
  const names = `${encodeURIComponent(b.producer)} ${encodeURIComponent(b.epoch)}`;
  const servers = b.servers.length === 0 ? '-' : b.servers.join(',');
  return `${names} ${b.sequence} ${b.dropped} ${b.firstMs} ${b.lastMs} ${b.receivedMs} ${servers} ${b.project ?? '-'} ${rejectedText(b.rejected)} ${b.first ?? '-'} ${b.beganMs ?? '-'}`;
}

function readBatch([
  producer = '',
  epoch = '',
  sequence,
  dropped,
  first,
  last,
  received,
  servers = '-',
  project = '-',
  rejected = '-',
  begin = '-',
  began = '-',
]: readonly string[]): BatchNote {
  return {
    project: project === '-' ? null : Number(project),
    producer: decodeURIComponent(producer),
    epoch: decodeURIComponent(epoch),
    sequence: Number(sequence),
    first: begin === '-' ? null : Number(begin),
    dropped: Number(dropped),
    beganMs: began === '-' ? null : Number(began),
    firstMs: Number(first),
    lastMs: Number(last),
    receivedMs: Number(received),
    servers: servers === '-' ? [] : servers.split(',').map(Number),
    rejected: readRejected(rejected),
  };
}

function rejectedText(rejected: readonly Rejected[]): string {
  if (rejected.length === 0) return '-';
  return rejected.map(({ server, records, firstMs, lastMs }) => `${server}:${records}:${firstMs}:${lastMs}`).join(',');
}

function readRejected(text: string): Rejected[] {
  if (text === '-') return [];
  return text.split(',').map((entry) => {
    const [server = 0, records = 0, firstMs = 0, lastMs = 0] = entry.split(':').map(Number);
    return { server, records, firstMs, lastMs };
  });
}

function unnumberedText({ project, server, records, firstMs, lastMs, receivedMs, ids }: RejectedUnnumbered): string {
  return `${project} ${server} ${records} ${firstMs} ${lastMs} ${receivedMs} ${ids.length === 0 ? '-' : ids.join(',')}`;
}

function readUnnumbered(fields: readonly string[]): RejectedUnnumbered {
  const [project = 0, server = 0, records = 0, firstMs = 0, lastMs = 0, receivedMs = 0] = fields.slice(0, 6).map(Number);
  const { [6]: ids = '-' } = fields;
  return { project, server, records, firstMs, lastMs, receivedMs, ids: ids === '-' ? [] : ids.split(',') };
}

function spanText({ firstMs, lastMs, records }: Span): string {
  return `${firstMs} ${lastMs} ${records}`;
}

function readSpan(fields: readonly string[], at: number): Span {
  return { firstMs: Number(fields[at]), lastMs: Number(fields[at + 1]), records: Number(fields[at + 2]) };
}

function hourText(s: HourSums): string {
  const extremes = `${s.leadMin ?? '-'} ${s.keptMax ?? '-'} ${s.neededMax ?? '-'}`;
  return `${s.attempts} ${s.unavailable} ${s.gapEvents} ${s.uncounted} ${s.firstMs} ${s.lastMs} ${extremes}`;
}

/** An earlier version wrote leads that a column cannot hold. */
function extreme(text = '-'): bigint | null {
  return text === '-' ? null : clampToInt64(BigInt(text));
}

function readHour(fields: readonly string[]): HourSums {
  return {
    attempts: Number(fields[2]),
    unavailable: Number(fields[3]),
    gapEvents: BigInt(fields[4] ?? 0),
    uncounted: Number(fields[5]),
    firstMs: Number(fields[6]),
    lastMs: Number(fields[7]),
    leadMin: extreme(fields[8]),
    keptMax: extreme(fields[9]),
    neededMax: extreme(fields[10]),
  };
}
