import type { SessionLog } from '@/lib/session-log/session-log';
import type { LoggedEvent, StreamLog } from '@/lib/session-log/stream-log';
import type { SseBlock } from '@/lib/sse/block-scanner';

/** What an event that an upstream sends on a resumed connection is. */
export type ReplayStep =
  | { readonly kind: 'replayed'; readonly entry: LoggedEvent }
  | { readonly kind: 'new' }
  | { readonly kind: 'fault'; readonly fault: ReplayFault };

/** `missing`: an expected event was skipped. `foreign`: another stream's. `repeated`: not after the cursor. `altered`: other data under its id. */
export type ReplayFault = 'missing' | 'foreign' | 'repeated' | 'altered';

/**
 * Holds an upstream's replay against what was relayed before: the events of `(cursor, head]` must come first, each
 * once, in order, with equal data; after them only events that this session has not seen.
 */
export class ReplayCheck {
  private readonly expected: readonly LoggedEvent[];
  private next = 0;

  /** @throws EventsGone where events after the cursor are below the floor */
  constructor(
    private readonly session: SessionLog,
    private readonly stream: StreamLog,
    cursor: number,
    /** The log as it stands later: events of other streams are added to that one, where copies are replaced. Null where none is at hand. */
    private readonly latest: () => SessionLog | null = () => null,
  ) {
    this.expected = stream.after(cursor);
  }

  /** Events still owed before anything new may come. */
  get owed(): number {
    return this.expected.length - this.next;
  }

  /** Events of `(cursor, head]` that came so far. */
  get replayed(): number {
    return this.next;
  }

  /** Whether the stream was answered before, so that no call waits for it. */
  get isAnswered(): boolean {
    return this.stream.isFinished;
  }

  check(block: SseBlock): ReplayStep {
    const expected = this.expected[this.next];
    if (expected !== undefined && block.id === expected.id) {
      if (block.fingerprint !== expected.fingerprint) return { kind: 'fault', fault: 'altered' };
      this.next++;
      return { kind: 'replayed', entry: expected };
    }
    const fault = this.faultOf(block.id);
    if (fault !== null) return { kind: 'fault', fault };
    if (expected !== undefined) return { kind: 'fault', fault: 'missing' };
    // After its answer a request's stream has nothing left to say: what comes now belongs to another.
    return this.stream.isFinished ? { kind: 'fault', fault: 'foreign' } : { kind: 'new' };
  }

  private faultOf(id: string | null): ReplayFault | null {
    if (id === null || id === '') return null;
    const latest = this.latest();
    return this.faultIn(this.session, id) ?? (latest === null || latest === this.session ? null : this.faultIn(latest, id));
  }

  private faultIn(session: SessionLog, id: string): ReplayFault | null {
    const owner = session.owner(id);
    if (owner === undefined) return session.pastCursor(id) === null ? null : 'foreign';
    if (owner === null || owner.stream.name !== this.stream.name) return 'foreign';
    const due = this.expected[this.next];
    return due !== undefined && owner.position > due.position ? 'missing' : 'repeated';
  }
}
