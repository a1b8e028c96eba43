import type { Journal, Telemetry } from '@/lib/proxy/telemetry';
import type { LoggedEvent } from '@/lib/session-log/stream-log';

/** Names under which a connection reports. */
export interface JournalNames {
  readonly server: string;
  readonly session: string;
  readonly stream: string;
  readonly protocolVersion: string | null;
}

const RUN_MAX = 256;

/** Three hexadecimal digits per entry: formatting a number of 53 bits otherwise costs more than all the rest of an event. */
const HEX = Array.from({ length: 4096 }, (_, value) => value.toString(16).padStart(3, '0'));

/** Digests leave the process in hexadecimal, as other reporters write theirs. */
function digestOf({ fingerprint }: Pick<LoggedEvent, 'fingerprint'>): string {
  const high = Math.floor(fingerprint / 0x1_0000_0000);
  const low = fingerprint >>> 0;
  return `${HEX[high >>> 9]}${HEX[((high & 0x1ff) << 3) | (low >>> 29)]}${HEX[(low >>> 17) & 0xfff]}${HEX[(low >>> 5) & 0xfff]}${HEX[(low & 0x1f) << 7]}`;
}

/** Joins the events of one connection into runs, so that a fast stream costs a record per run and not per event. */
export class LegJournal implements Journal {
  private emitted: LoggedEvent[] = [];
  private delivered: LoggedEvent[] = [];
  private generation = '';
  private conn = '';
  private reportedFloor: string | null | undefined;

  constructor(
    private readonly telemetry: Telemetry,
    private readonly names: JournalNames,
    /** Whether the connection was resumed upstream. */
    private readonly isReplay = false,
  ) {}

  noteEmitted(event: LoggedEvent, generation: string): void {
    if (event.id === null) return;
    if (generation !== this.generation) this.flush();
    this.generation = generation;
    this.emitted.push(event);
    this.touch();
  }

  noteDelivered(event: LoggedEvent, generation: string, conn: string): void {
    if (event.id === null) return;
    if (generation !== this.generation || conn !== this.conn) this.flush();
    this.generation = generation;
    this.conn = conn;
    this.delivered.push(event);
    this.touch();
  }

  /** The oldest retained event changed; reported once per flush, with its last value. */
  noteFloor(floorId: string | null, cause: 'count' | 'stream_end'): void {
    if (this.reportedFloor === floorId) return;
    this.flush();
    this.reportedFloor = floorId;
    this.telemetry.add({ type: 'evict', ...this.common(), floor: floorId, cause });
  }

  flush(): void {
    const { emitted, delivered } = this;
    this.emitted = [];
    this.delivered = [];
    let run: LoggedEvent[] = [];
    for (const event of emitted) {
      if (event.bytes > 0 && !event.isAnswer) run.push(event);
      else {
        this.addRun(run);
        run = [];
        this.addSingle(event);
      }
    }
    this.addRun(run);
    if (delivered.length > 0) {
      const ids = delivered.map((event) => event.id ?? '');
      // Live events were digested when they were emitted; what a server replays may carry other data than it did.
      const digests = this.isReplay ? { digests: delivered.map(digestOf) } : {};
      this.telemetry.add({ type: 'deliver', ...this.common(), conn: this.conn, event_ids: ids, ...digests });
    }
  }

  private touch(): void {
    if (this.emitted.length >= RUN_MAX || this.delivered.length >= RUN_MAX) this.flush();
    else this.telemetry.markDirty(this);
  }

  private addRun(run: readonly LoggedEvent[]): void {
    if (run.length === 0) return;
    const bytes = run.reduce((sum, event) => sum + event.bytes, 0);
    this.telemetry.add({
      type: 'emit',
      ...this.common(),
      event_ids: run.map((event) => event.id ?? ''),
      digests: run.map(digestOf),
      bytes,
    });
  }

  private addSingle(event: LoggedEvent): void {
    this.telemetry.add({
      type: 'emit',
      ...this.common(),
      event_id: event.id ?? '',
      position: event.position,
      kind: event.bytes === 0 ? 'priming' : 'message',
      digest: digestOf(event),
      bytes: event.bytes,
      ...(event.isAnswer ? { rpc: { type: 'response' as const } } : {}),
    });
  }

  private common() {
    return {
      server: this.names.server,
      session: this.names.session,
      stream: this.names.stream,
      generation: this.generation,
      protocol_version: this.names.protocolVersion,
    };
  }
}
