import type { Note } from '../recorder/flight-recorder.js';
import type { TelemetryRecord } from '../telemetry/record.js';

export type NoteKind = 'request' | 'open' | 'deliver' | 'close_by_client' | 'close_by_server';

/** Who makes the records of a note. */
interface Maker {
  records(kind: NoteKind, piece: Uint8Array | string): readonly TelemetryRecord[];
}

/** Bytes, roughly, of what a note holds beside texts. */
const NOTE_BYTES = 200;

/** What an exchange has to tell; `piece` is what went over the wire, where that is still to be read. */
export class ExchangeNote implements Note {
  readonly at = Date.now();
  readonly bytes: number;

  constructor(
    private readonly exchange: Maker,
    private readonly kind: NoteKind,
    held: number,
    private readonly piece: Uint8Array | string,
  ) {
    this.bytes = NOTE_BYTES + held;
  }

  build(): readonly TelemetryRecord[] {
    return this.exchange.records(this.kind, this.piece);
  }
}
