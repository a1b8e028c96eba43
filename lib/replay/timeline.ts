import { foldEntry } from '@/lib/replay/fold-entry';
import { type Located, RecordLocator, type StreamTrack } from '@/lib/replay/locate-record';
import { emptyState, encodeState, type StreamState } from '@/lib/replay/log-state';
import { advance, foldOf, rewind, type StreamFold, stateAfter } from '@/lib/replay/stream-fold';
import type { TelemetryRecord } from '@/lib/wire/schema';
import type { TimelineState } from '@/lib/wire/timeline-responses';

/** A history that can be asked for the state after any of its records. */
export interface Timeline {
  readonly length: number;
  /** Appends the next record. Cost is that of the record, except once per numbering whose ids turn out to be no numbers. */
  push(record: TelemetryRecord): void;
  /**
   * State of the record's stream after record `index`, as known from everything pushed so far. Equals a fold
   * from the first record, at the cost of the records since the last checkpoint of that stream.
   * @throws RangeError when there is no such record.
   */
  stateAt(index: number): TimelineState;
  /** The state after every record in order, in one pass. */
  states(): Generator<TimelineState>;
}

/** An empty timeline, or one of `records`. */
export function createTimeline(records: Iterable<TelemetryRecord> = []): Timeline {
  const locator = new RecordLocator();
  const located: Located[] = [];
  const folds = new Map<StreamTrack, StreamFold>();

  const timeline: Timeline = {
    get length() {
      return located.length;
    },
    push(record) {
      const place = locator.locate(record);
      located.push(place);
      if (place.kind === 'boot') return;
      const fold = foldOf(folds, place.track);
      if (place.isRenumbered) rewind(fold, place.track.numbering.startedAt);
      advance(fold);
    },
    stateAt(index) {
      const place = located[index];
      if (place === undefined) throw new RangeError(`no record ${index}: the timeline has ${located.length}`);
      if (place.kind === 'stream') return encodeState(stateAfter(foldOf(folds, place.track), place.at));
      return stateAfterBoot(place, place.focus === null ? emptyState() : stateAfter(foldOf(folds, place.focus.track), place.focus.at));
    },
    states: () => walk(located),
  };
  for (const record of records) timeline.push(record);
  return timeline;
}

function* walk(located: readonly Located[]): Generator<TimelineState> {
  const states = new Map<StreamTrack, StreamState>();
  for (const place of located) {
    const track = place.kind === 'stream' ? place.track : place.focus?.track;
    const state = (track === undefined ? undefined : states.get(track)) ?? emptyState();
    if (place.kind === 'boot') yield stateAfterBoot(place, state);
    else {
      states.set(place.track, state);
      foldEntry(place.track, state, place.at);
      yield encodeState(state);
    }
  }
}

/** A boot cuts every connection. Under a new label nothing is known of the log until the session is heard of again. */
function stateAfterBoot(boot: Extract<Located, { kind: 'boot' }>, before: StreamState): TimelineState {
  const state = encodeState(before);
  const isSame = boot.generation === null || boot.generation === state.generation;
  return isSame ? { ...state, cursors: {} } : { generation: boot.generation, floor: null, head: null, holes: [], cursors: {} };
}
