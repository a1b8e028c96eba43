import { foldEntry } from '@/lib/replay/fold-entry';
import type { StreamTrack } from '@/lib/replay/locate-record';
import { copyState, emptyState, type StreamState } from '@/lib/replay/log-state';

/** Records of one stream between two checkpoints: what a seek has to fold at most. */
const CHECKPOINT_EVERY = 256;

/** Where a stream's fold stands: the running state after its newest entry and copies made on the way. */
export interface StreamFold {
  readonly track: StreamTrack;
  /** `checkpoints[n]` is the state after the first `(n + 1) * CHECKPOINT_EVERY` entries. */
  checkpoints: StreamState[];
  running: StreamState;
  folded: number;
}

/** The fold of a stream before its first entry. */
export const newFold = (track: StreamTrack): StreamFold => ({ track, checkpoints: [], running: emptyState(), folded: 0 });

/** The fold of a stream, begun when it is first asked for. */
export function foldOf(folds: Map<StreamTrack, StreamFold>, track: StreamTrack): StreamFold {
  const known = folds.get(track);
  if (known !== undefined) return known;
  const fold = newFold(track);
  folds.set(track, fold);
  return fold;
}

/** Forgets everything folded from entry `at` on. */
export function rewind(fold: StreamFold, at: number): void {
  const kept = Math.floor(at / CHECKPOINT_EVERY);
  fold.checkpoints = fold.checkpoints.slice(0, kept);
  fold.folded = fold.checkpoints.length * CHECKPOINT_EVERY;
  fold.running = copyState(fold.checkpoints.at(-1) ?? emptyState());
}

/** Folds what was appended to the stream since. */
export function advance(fold: StreamFold): void {
  for (; fold.folded < fold.track.entries.length; fold.folded++) {
    foldEntry(fold.track, fold.running, fold.folded);
    if ((fold.folded + 1) % CHECKPOINT_EVERY === 0) fold.checkpoints.push(copyState(fold.running));
  }
}

/** State after entry `at`, which has been folded: from the nearest checkpoint, not to be changed by the caller. */
export function stateAfter(fold: StreamFold, at: number): StreamState {
  if (at === fold.folded - 1) return fold.running;
  const checkpoint = Math.floor((at + 1) / CHECKPOINT_EVERY);
  const state = copyState(fold.checkpoints[checkpoint - 1] ?? emptyState());
  for (let next = checkpoint * CHECKPOINT_EVERY; next <= at; next++) foldEntry(fold.track, state, next);
  return state;
}
