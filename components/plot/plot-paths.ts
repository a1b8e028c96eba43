import type { ClientPoint, LogStep } from '@/components/plot/plot-data';
import type { PositionScale, XScale } from '@/components/plot/plot-scale';

const at = (x: number, y: number) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** Where step `index` ends: at the next one, the last at `endPx`. */
function endOf(log: readonly LogStep[], index: number, endPx: number, xOf: XScale): number {
  const next = log[index + 1];
  return next === undefined ? endPx : xOf(next.x);
}

/** A step line of `value` over the log: it moves only where the log did, and is broken where the log is not known. */
export function stepPath(log: readonly LogStep[], value: 'floor' | 'head', endPx: number, xOf: XScale, yOf: PositionScale): string {
  let path = '';
  let isDrawn = false;
  log.forEach((step, index) => {
    const position = step[value];
    if (position === null) {
      isDrawn = false;
      return;
    }
    const y = yOf(position);
    const end = endOf(log, index, endPx, xOf);
    path += isDrawn ? `V${y.toFixed(1)}` : `M${at(xOf(step.x), y)}`;
    path += `H${end.toFixed(1)}`;
    isDrawn = true;
  });
  return path;
}

/** The retained band between floor and head, as one area per run of steps in which both are known. */
export function bandPath(log: readonly LogStep[], endPx: number, xOf: XScale, yOf: PositionScale): string {
  let path = '';
  for (const run of knownRuns(log)) {
    const end = (index: number) => endOf(log, index, endPx, xOf);
    const upper = run.map(({ index, step }) => `L${at(xOf(step.x), yOf(step.head))}L${at(end(index), yOf(step.head))}`).join('');
    const lower = [...run]
      .reverse()
      .map(({ index, step }) => `L${at(end(index), yOf(step.floor))}L${at(xOf(step.x), yOf(step.floor))}`)
      .join('');
    path += `M${upper.slice(1)}${lower}Z`;
  }
  return path;
}

interface KnownStep {
  readonly index: number;
  readonly step: { readonly x: number; readonly floor: bigint; readonly head: bigint };
}

function knownRuns(log: readonly LogStep[]): KnownStep[][] {
  const runs: KnownStep[][] = [];
  let run: KnownStep[] | null = null;
  log.forEach(({ x, floor, head }, index) => {
    // An empty log has its floor one above its head: nothing is retained, so nothing is filled.
    if (floor === null || head === null || floor > head) {
      run = null;
      return;
    }
    if (run === null) {
      run = [];
      runs.push(run);
    }
    run.push({ index, step: { x, floor, head } });
  });
  return runs;
}

/** The client's line: solid where a connection stands, dashed while it is away. */
export function clientPaths(
  line: readonly ClientPoint[],
  xOf: XScale,
  yOf: PositionScale,
): { readonly attached: string; readonly away: string } {
  let attached = '';
  let away = '';
  for (let index = 1; index < line.length; index++) {
    const [from, to] = [line[index - 1], line[index]];
    if (from === undefined || to === undefined) continue;
    const flat = `M${at(xOf(from.x), yOf(from.position))}H${xOf(to.x).toFixed(1)}`;
    if (from.isAway) away += flat;
    else attached += `${flat}V${yOf(to.position).toFixed(1)}`;
  }
  return { attached, away };
}
