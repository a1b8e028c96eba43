import type { FloorRule } from '@/lib/resume/types';
import type { Change } from '@/lib/whatif/change';

/** A change as it is set on the screen; null leaves things as they were. */
export interface ChangeDraft {
  readonly events: number | null;
  readonly bytes: number | null;
  readonly ttlS: number | null;
  readonly floor: FloorRule | null;
  readonly generationCheck: boolean | null;
  readonly reconnectS: number | null;
}

export const NO_CHANGE: ChangeDraft = { events: null, bytes: null, ttlS: null, floor: null, generationCheck: null, reconnectS: null };

/** The change of a draft in the form that the API and the core take (contract section 6). */
export function changeOf(draft: ChangeDraft): Change {
  const { events, bytes, ttlS, floor, generationCheck, reconnectS } = draft;
  const buffer = {
    ...(events === null ? {} : { events }),
    ...(bytes === null ? {} : { bytes }),
    ...(ttlS === null ? {} : { ttl_ms: Math.round(ttlS * 1_000) }),
  };
  return {
    ...(Object.keys(buffer).length === 0 ? {} : { buffer }),
    ...(floor === null ? {} : { floor }),
    ...(generationCheck === null ? {} : { generation_check: generationCheck }),
    ...(reconnectS === null ? {} : { reconnect_ms: Math.round(reconnectS * 1_000) }),
  };
}

/** Whether a draft changes nothing. */
export function isUnchanged(draft: ChangeDraft): boolean {
  return Object.values(draft).every((value) => value === null);
}

/** An amount as an address carries it: finite and above zero, else null. */
export function readAmount(text: string): number | null {
  const amount = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  return amount > 0 && amount <= Number.MAX_SAFE_INTEGER ? amount : null;
}

/** Stops of a slider that grows by about a quarter a step: 1, 2, 3, 4, 5, 6, 8, 10, 12 … up to `most`. */
export function geometricStops(most: number): number[] {
  const stops: number[] = [];
  for (let stop = 1; stop < most; stop = Math.max(stop + 1, roundTo2(stop * 1.25))) stops.push(stop);
  return [...stops, Math.max(1, Math.ceil(most))];
}

function roundTo2(value: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.round(value / power) * power;
}

/** Place of the stop nearest to a value. */
export function nearestStop(stops: readonly number[], value: number): number {
  const after = stops.findIndex((stop) => stop >= value);
  if (after <= 0) return after === 0 ? 0 : stops.length - 1;
  return value - (stops[after - 1] ?? value) < (stops[after] ?? value) - value ? after - 1 : after;
}
