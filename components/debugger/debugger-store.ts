import { useCallback, useSyncExternalStore } from 'react';
import { indexAtX } from '@/components/debugger/model/history';
import type { Viewport } from '@/components/debugger/model/viewport';

export const SPEEDS = [0.25, 1, 4, 10] as const;

/** Everything the panes share. One playhead drives all of them. */
export interface DebuggerState {
  /** Place of the session in the history, and the stream that is drawn. */
  readonly session: number;
  readonly stream: string | null;
  /** Place of the record under the playhead, in the whole history. */
  readonly index: number;
  /** Where the playhead stands: on its record, or between it and the next while it is dragged or plays. */
  readonly x: number;
  readonly view: Viewport;
  readonly isPlaying: boolean;
  /** While the playhead is dragged. */
  readonly isScrubbing: boolean;
  readonly speed: number;
  /** Places that the reader marked, and facts that were pinned, in order. */
  readonly marks: readonly number[];
  readonly pins: readonly number[];
  /** Place under the pointer. */
  readonly hovered: number | null;
  readonly isTable: boolean;
  /** What stands below the picture where there is no room for both. */
  readonly below: 'state' | 'list';
  readonly filter: string;
}

/** The state of one debugger outside React, so that sixty changes a second redraw only what shows them. */
export class DebuggerStore {
  #state: DebuggerState;
  readonly #listeners = new Set<() => void>();

  constructor(initial: DebuggerState) {
    this.#state = initial;
  }

  get state(): DebuggerState {
    return this.#state;
  }

  readonly set = (patch: Partial<DebuggerState>): void => {
    this.#state = { ...this.#state, ...patch };
    for (const listener of this.#listeners) listener();
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

/** One value of the state; the component is drawn again only when that value is another. */
export function useDebuggerState<T>(store: DebuggerStore, select: (state: DebuggerState) => T): T {
  const read = useCallback(() => select(store.state), [store, select]);
  return useSyncExternalStore(store.subscribe, read, read);
}

/** Moves the playhead to a record. */
export const atRecord = (index: number, xs: Float64Array): Pick<DebuggerState, 'index' | 'x'> => ({ index, x: xs[index] ?? 0 });

/** Moves the playhead to a moment: the record under it is the last of `places` at or before it. */
export function atMoment(x: number, xs: Float64Array, places: readonly number[]): Pick<DebuggerState, 'index' | 'x'> {
  const upTo = indexAtX(xs, x);
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle] ?? 0) <= upTo) low = middle + 1;
    else high = middle;
  }
  return { index: places[low - 1] ?? places[0] ?? 0, x };
}
