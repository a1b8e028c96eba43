import type { SessionLedger } from '../ledger/session-ledger.js';
import { positionOf } from '../log/event-id.js';
import { type Observer, streamName } from '../observer.js';
import type { Note } from '../recorder/flight-recorder.js';
import type { TelemetryRecord } from '../telemetry/record.js';
import { rpcFacts } from '../telemetry/rpc-facts.js';

/** Bytes, roughly, of what a note holds beside texts. */
const NOTE_BYTES = 200;

/** An event that was stored. */
export class EmitNote implements Note {
  readonly at = Date.now();

  constructor(
    private readonly observer: Observer,
    private readonly ledger: SessionLedger,
    private readonly streamId: string,
    private readonly eventId: string,
    /** Null where the id itself tells it. */
    private readonly position: number | null,
    private readonly text: string,
  ) {}

  get bytes(): number {
    return NOTE_BYTES + this.text.length;
  }

  build(): readonly TelemetryRecord[] {
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

/** Any other record of a store, as it is. */
export class RecordNote implements Note {
  readonly at = Date.now();

  constructor(
    private readonly record: TelemetryRecord,
    readonly bytes = NOTE_BYTES,
  ) {}

  build(): readonly TelemetryRecord[] {
    return [this.record];
  }
}
