import { countUpTo } from '@/components/debugger/model/history';
import type { ScaleGroup, StepLine } from '@/components/debugger/model/plot-lines';

/** How far a client stands above the floor, in offsets from the group's base. */
export interface Lead {
  readonly group: ScaleGroup;
  readonly client: number;
  readonly floor: number;
  /** Whether something after what the client holds is gone: then the distance to the floor is no comfort. */
  readonly isLost: boolean;
}

/** The lead at a moment: what the client holds against what is still kept. Null where either is not known. */
export function leadAt(groups: readonly ScaleGroup[], x: number): Lead | null {
  for (const group of groups) {
    for (const stretch of group.stretches) {
      if (x < stretch.fromX || x > stretch.toX) continue;
      const floor = valueAt(stretch.floor, x);
      const client = stretch.clients
        .map((line) => (x <= (line.xs[line.xs.length - 1] ?? 0) ? valueAt(line, x) : Number.NaN))
        .find((value) => !Number.isNaN(value));
      if (Number.isNaN(floor) || client === undefined) continue;
      const isHoled = stretch.holes.some((hole) => hole.fromX <= x && x <= hole.toX && hole.last > client);
      return { group, client, floor, isLost: isHoled || client < floor - 1 };
    }
  }
  return null;
}

function valueAt({ xs, values }: StepLine, x: number): number {
  return values[countUpTo(xs, x) - 1] ?? Number.NaN;
}
