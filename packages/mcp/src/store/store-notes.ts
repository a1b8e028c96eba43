import type { SessionLedger } from '../ledger/session-ledger.js';
import { positionOf } from '../log/event-id.js';
import { type Observer, streamName } from '../observer.js';
import type { NoteSource } from '../recorder/flight.js';
import type { TelemetryRecord } from '../telemetry/record.js';
import { rpcFacts } from '../telemetry/rpc-facts.js';

/** Bytes, roughly, of what a note holds beside texts. */
export const NOTE_BYTES = 200;

export type EvictCause = 'count' | 'bytes' | 'age' | 'memory' | 'stream_end';

/** An event that was stored. */
export class EmitNote implements NoteSource {
  constructor(
    private readonly observer: Observer,
    private readonly ledger: SessionLedger,
    readonly streamId: string,
    readonly eventId: string,
    /** Null where the id itself tells it. */
    private readonly position: number | null,
    private readonly text: string,
  ) {}

  records(): readonly TelemetryRecord[] {
    const { text, ledger, streamId, eventId, position } = this;
    const bytes = Buffer.byteLength(text);
    const content =
      text === '{}'
        ? ({ kind: 'priming', bytes } as const)
        : ({
            kind: 'message',
            rpc: rpcFacts(text === '' ? undefined : JSON.parse(text)),
            digest: this.observer.digest(text),
            bytes,
          } as const);
    const at = position ?? positionOf(eventId);
    return [{ type: 'emit', ...ledger.names, stream: streamName(streamId), event_id: eventId, position: at, ...content }];
  }
}

/** The floor of one stream moved up. */
export class EvictNote implements NoteSource {
  constructor(
    private readonly ledger: SessionLedger,
    private readonly streamId: string,
    private readonly floor: string | null,
    private readonly cause: EvictCause,
  ) {}

  records(): readonly TelemetryRecord[] {
    const { ledger, streamId, floor, cause } = this;
    return [{ type: 'evict', ...ledger.names, stream: streamName(streamId), floor, cause }];
  }
}

/** Any other record, as it is. */
export class RecordNote implements NoteSource {
  constructor(private readonly record: TelemetryRecord) {}

  records(): readonly TelemetryRecord[] {
    return [this.record];
  }
}
