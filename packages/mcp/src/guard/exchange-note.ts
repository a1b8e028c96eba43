import type { Note } from '../recorder/flight-recorder.js';
import type { TelemetryRecord } from '../telemetry/record.js';

export type NoteKind = 'request' | 'open' | 'deliver' | 'close_by_client' | 'close_by_server';

/** Who makes the records of a note. */
interface Maker {
  records(kind: NoteKind, text: string): readonly TelemetryRecord[];
}

/** What an exchange has to tell; `text` is what went over the wire, where that is still to be read. */
export class ExchangeNote implements Note {
  readonly at = Date.now();

  constructor(
    private readonly exchange: Maker,
    private readonly kind: NoteKind,
    readonly bytes: number,
    private readonly text: string,
  ) {}

  build(): readonly TelemetryRecord[] {
    return this.exchange.records(this.kind, this.text);
  }
}
