import { foldRecord } from '@/lib/replay/fold-record';
import type { StreamTrack } from '@/lib/replay/locate-record';
import { enterNumbering, forgetUnseen, type StreamState } from '@/lib/replay/log-state';

/** One step of a stream's fold. */
export function foldEntry(track: StreamTrack, state: StreamState, at: number): void {
  const entry = track.entries[at];
  if (entry === undefined) return;
  if (entry.isAfterBoot) state.cursors.clear();
  enterNumbering(state, entry.numbering);
  if (entry.isAfterUnseen) forgetUnseen(state);
  foldRecord(state, entry.numbering, entry.record, at);
}
