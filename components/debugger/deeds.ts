import { atMoment, atRecord, type DebuggerStore } from '@/components/debugger/debugger-store';
import { placeIn } from '@/components/debugger/model/history';
import { type JumpTargets, lastSafeBefore, nextTarget } from '@/components/debugger/model/jumps';
import { following, panned, wholeOf, zoomed } from '@/components/debugger/model/viewport';
import type { Scene } from '@/components/debugger/use-scene';

/** What buttons and keys do, in one place. */
export interface Deeds {
  readonly select: (index: number) => void;
  readonly step: (by: number) => void;
  readonly jump: (to: keyof JumpTargets, by: 1 | -1) => void;
  readonly backToLoss: () => void;
  readonly playOrPause: () => void;
  readonly zoom: (factor: number) => void;
  readonly showAll: () => void;
  readonly pan: (share: number) => void;
  readonly mark: () => void;
  readonly pin: () => void;
  /** Moves the playhead on by so many milliseconds of watching; false once it has arrived at the end. */
  readonly advance: (watchedMs: number) => boolean;
}

const MARKS_MAX = 20;
/** A history without a clock is played at this pace. */
const RECORDS_PER_SECOND = 4;
/** Nothing happens for longer than this while one watches: then the playhead goes on to what happens next. */
const QUIET_MS = 3_000;

export function deedsOf(scene: Scene, store: DebuggerStore): Deeds {
  const { history, part } = scene;
  const { xs, records } = history;
  const select = (index: number): void => {
    const at = atRecord(index, xs);
    store.set({ ...at, view: following(store.state.view, at.x, history), isPlaying: false });
  };
  const toggled = (list: readonly number[], index: number): number[] =>
    list.includes(index) ? list.filter((one) => one !== index) : [...list, index].sort((a, b) => a - b).slice(-MARKS_MAX);
  return {
    select,
    step: (by) => {
      const place = Math.min(part.indices.length - 1, Math.max(0, placeIn(part, store.state.index) + by));
      const index = part.indices[place];
      if (index !== undefined) select(index);
    },
    jump: (to, by) => {
      const index = nextTarget(scene.targets[to], store.state.index, by);
      if (index !== null) select(index);
    },
    backToLoss: () => {
      const safe = lastSafeBefore(scene.steps, scene.plotted, store.state.index);
      if (safe !== null) select(safe.index);
    },
    playOrPause: () => {
      const { isPlaying, x } = store.state;
      const isAtEnd = x >= (xs[part.indices.at(-1) ?? 0] ?? 0);
      const first = part.indices[0] ?? 0;
      store.set({ isPlaying: !isPlaying, ...(isAtEnd && !isPlaying ? atRecord(first, xs) : {}) });
    },
    zoom: (factor) => store.set({ view: zoomed(store.state.view, factor, store.state.x, history) }),
    showAll: () => store.set({ view: wholeOf(history) }),
    pan: (share) => store.set({ view: panned(store.state.view, share, history) }),
    mark: () => store.set({ marks: toggled(store.state.marks, store.state.index) }),
    pin: () => store.set({ pins: toggled(store.state.pins, store.state.hovered ?? store.state.index) }),
    advance: (watchedMs) => {
      const { x, speed } = store.state;
      const end = xs[part.indices.at(-1) ?? 0] ?? 0;
      const pace = history.axis === 'time' ? speed : (speed * RECORDS_PER_SECOND) / 1_000;
      const next = xs[part.indices[placeIn(part, store.state.index) + 1] ?? records.length - 1] ?? end;
      const isQuiet = next - x > QUIET_MS * pace;
      const to = Math.min(end, isQuiet ? next : x + watchedMs * pace);
      store.set({ ...atMoment(to, xs, part.indices), view: following(store.state.view, to, history), isPlaying: to < end });
      return to < end;
    },
  };
}
