import { type IdSeries, idOf, numberIn, successorSeries } from '@/lib/wire/id-shape';

/** Ids in a row: `count` ids from place `at`, numbered from `number`; a lone id has `shape` null and `text`. */
interface IdRun {
  at: bigint;
  count: bigint;
  shape: IdSeries | null;
  number: bigint;
  text: string;
}

/** Runs of one numbered family; look-up is by halving while their numbers rise, as they nearly always do. */
interface IdFamily {
  shape: IdSeries;
  runs: IdRun[];
  isRising: boolean;
}

/**
 * Ids of one log in the order of their emission, and where each is. Runs of numbered ids cost O(1) however long
 * they are; that is storage only: an id is found by its bytes, and no order is read out of a number.
 */
export interface IdIndex {
  runs: IdRun[];
  lone: Map<string, bigint>;
  /** Runs per numbered family, in order of emission. */
  families: IdFamily[];
  /** Every place of an id that several events carry. */
  shared: Map<string, bigint[]>;
  next: bigint;
  /** Places below this were forgotten to stay inside the bound. */
  forgottenBelow: bigint;
}

const FAMILIES_MAX = 16;
const RUNS_MAX = 65_536;
const SHARED_MAX = 4_096;

export const emptyIdIndex = (): IdIndex => ({ runs: [], lone: new Map(), families: [], shared: new Map(), next: 0n, forgottenBelow: 0n });

/** Places of the events that carry `text`, in order; empty when none does. */
export function placesOf(index: IdIndex, text: string): readonly bigint[] {
  const shared = index.shared.get(text);
  if (shared !== undefined) return shared;
  const lone = index.lone.get(text);
  if (lone !== undefined) return [lone];
  for (const family of index.families) {
    const place = placeInFamily(family, text);
    if (place !== null) return [place];
  }
  return [];
}

function placeInFamily(family: IdFamily, text: string): bigint | null {
  const number = numberIn(family.shape, text);
  if (number === null) return null;
  const { runs } = family;
  if (!family.isRising) {
    const run = runs.findLast((candidate) => number >= candidate.number && number < candidate.number + candidate.count);
    return run === undefined ? null : run.at + number - run.number;
  }
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const run = runs[middle];
    if (run !== undefined && run.number + run.count <= number) low = middle + 1;
    else high = middle;
  }
  const run = runs[low];
  return run === undefined || number < run.number ? null : run.at + number - run.number;
}

/** The id at a place, null when it was forgotten or never there. */
export function idAt(index: IdIndex, place: bigint): string | null {
  let low = 0;
  let high = index.runs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const run = index.runs[middle];
    if (run !== undefined && run.at + run.count <= place) low = middle + 1;
    else high = middle;
  }
  const run = index.runs[low];
  if (run === undefined || place < run.at) return null;
  return run.shape === null ? run.text : idOf(run.shape, run.number + place - run.at);
}

/** Appends one id; answers its place. */
export function appendId(index: IdIndex, text: string): bigint {
  const place = index.next++;
  const known = placesOf(index, text);
  if (known.length > 0) {
    if (known.length < SHARED_MAX) index.shared.set(text, [...known, place]);
    index.runs.push({ at: place, count: 1n, shape: null, number: 0n, text });
    return place;
  }
  const tail = index.runs.at(-1);
  if (tail !== undefined && extendsRun(index, tail, text)) return place;
  index.runs.push({ at: place, count: 1n, shape: null, number: 0n, text });
  index.lone.set(text, place);
  bound(index);
  return place;
}

/** Appends the decimal ids `first` to `last`; answers the place of the first. The ids must be new. */
export function appendNumbers(index: IdIndex, first: bigint, last: bigint): bigint {
  const place = index.next;
  const count = last - first + 1n;
  index.next += count;
  const tail = index.runs.at(-1);
  if (tail?.shape && isDecimal(tail.shape) && tail.number + tail.count === first) {
    tail.count += count;
    return place;
  }
  const run: IdRun = { at: place, count, shape: { prefix: '', suffix: '', width: 0 }, number: first, text: '' };
  index.runs.push(run);
  join(index, run, true);
  bound(index);
  return place;
}

const isDecimal = (shape: IdSeries): boolean => shape.prefix === '' && shape.suffix === '' && shape.width === 0;

function extendsRun(index: IdIndex, tail: IdRun, text: string): boolean {
  if (tail.shape !== null) {
    if (idOf(tail.shape, tail.number + tail.count) !== text) return false;
    tail.count++;
    return true;
  }
  if (index.shared.has(tail.text)) return false;
  const successor = successorSeries(tail.text, text);
  if (successor === null) return false;
  const run = { ...tail, count: 2n, shape: successor.series, number: successor.number };
  if (!join(index, run, false)) return false;
  index.lone.delete(tail.text);
  index.runs[index.runs.length - 1] = run;
  return true;
}

/** Files a run under its family; refused when there are too many families, so that look-up stays short. */
function join(index: IdIndex, run: IdRun, always: boolean): boolean {
  const { shape } = run;
  if (shape === null) return false;
  for (const family of index.families) {
    if (family.shape.prefix !== shape.prefix || family.shape.suffix !== shape.suffix || family.shape.width !== shape.width) continue;
    const tail = family.runs.at(-1);
    if (tail !== undefined && run.number < tail.number + tail.count) family.isRising = false;
    family.runs.push(run);
    return true;
  }
  if (!always && index.families.length >= FAMILIES_MAX) return false;
  index.families.push({ shape, runs: [run], isRising: true });
  return true;
}

function bound(index: IdIndex): void {
  if (index.runs.length > RUNS_MAX) forgetIdsBelow(index, index.runs[RUNS_MAX / 2]?.at ?? 0n);
}

/** Forgets ids below a place; whole runs only. */
export function forgetIdsBelow(index: IdIndex, place: bigint): void {
  let drop = 0;
  for (const run of index.runs) {
    if (run.at + run.count > place) break;
    drop++;
    if (run.shape === null) {
      if (index.lone.get(run.text) === run.at) index.lone.delete(run.text);
      index.shared.delete(run.text);
    }
  }
  if (drop === 0) return;
  index.runs.splice(0, drop);
  const lowest = index.runs[0]?.at ?? index.next;
  index.forgottenBelow = lowest;
  for (const family of index.families) family.runs = family.runs.filter((run) => run.at >= lowest);
  index.families = index.families.filter((family) => family.runs.length > 0);
}

/**
 * How far `text` lies above the newest id, when every id of the log is of one rising numbered family and the
 * text is of it too; null otherwise. It only places a cursor that was never seen.
 */
export function distanceAboveNewest(index: IdIndex, text: string): bigint | null {
  const [family] = index.families;
  if (family === undefined || index.families.length > 1 || index.shared.size > 0 || !family.isRising) return null;
  for (const lone of index.lone.keys()) if (numberIn(family.shape, lone) === null) return null;
  const number = numberIn(family.shape, text);
  const tail = family.runs.at(-1);
  const newest = index.runs.at(-1);
  if (number === null || tail === undefined || newest === undefined) return null;
  const highest = newest.shape === null ? numberIn(family.shape, newest.text) : newest.number + newest.count - 1n;
  return highest !== null && number > highest ? number - highest : null;
}
