import { ByteBudget, type ByteLease } from '@/lib/http/byte-budget';

/** A connection that frames arrive on. */
export interface Occupant {
  /** Bytes that have arrived and are not being stored. */
  readonly idleBytes: number;
  /** Whether frames of it are being stored, whose bytes come free by themselves. */
  readonly isStoring: boolean;
  /** Ends the connection; its bytes come free once it has closed. */
  readonly turnAway: () => void;
  /** Told that what it waited for came free. */
  readonly goOn: () => void;
}

/** Of the whole room, the part for those that wait to be let in: they have each read one more chunk. */
const WAITING_PART = 4;

/**
 * The bytes that frames of all connections may hold, whole or in parts. Senders (their keys) share it as they share bodies: nobody may
 * hold more than is free. Who finds no room waits for it; where nothing of its sender is being stored, none would come free, and the
 * connection that holds the most of an unfinished frame is turned away.
 */
export class FrameRoom {
  readonly #held: ByteBudget;
  readonly #waiting: ByteBudget;
  readonly #seats = new Map<string, Set<Seat>>();
  readonly #waiters = new Set<Seat>();
  #isScheduled = false;

  constructor(bytesMax: number) {
    const waiting = Math.floor(bytesMax / WAITING_PART);
    this.#held = new ByteBudget(bytesMax - waiting);
    this.#waiting = new ByteBudget(waiting);
  }

  /** A place for a new connection of the sender. */
  open(sender: string, occupant: Occupant): FrameSeat {
    const seats = this.#seats.get(sender) ?? new Set();
    this.#seats.set(sender, seats);
    const leases = [this.#held.lease(sender), this.#waiting.lease(sender)] as const;
    const seat = new Seat(occupant, seats, leases);
    seats.add(seat);
    return {
      take: (bytes) => {
        const outcome = seat.take(bytes);
        if (outcome === 'waits') this.#waiters.add(seat);
        if (outcome !== 'taken') this.#schedule();
        return outcome;
      },
      give: (bytes) => {
        seat.give(bytes);
        this.#schedule();
      },
      leave: () => {
        seats.delete(seat);
        if (seats.size === 0) this.#seats.delete(sender);
        this.#waiters.delete(seat);
        this.#schedule();
      },
    };
  }

  /** After the chunk at hand: the frames that it ends are being stored by then. */
  #schedule(): void {
    if (this.#isScheduled || this.#waiters.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#letIn();
    });
  }

  /** In the order of their coming, as far as the room of each sender goes. */
  #letIn(): void {
    const behind = new Set<ReadonlySet<Seat>>();
    for (const seat of [...this.#waiters]) {
      if (behind.has(seat.ofSender)) continue;
      if (seat.isLetIn()) {
        this.#waiters.delete(seat);
        seat.occupant.goOn();
      } else {
        behind.add(seat.ofSender);
        turnAwayLargest(seat.ofSender);
      }
    }
  }
}

export interface FrameSeat {
  /** Counts bytes that have arrived. `waits` asks to read nothing more until `goOn`, `full` to end the connection. */
  readonly take: (bytes: number) => 'taken' | 'waits' | 'full';
  readonly give: (bytes: number) => void;
  /** Told when the connection has closed; what is still being stored of it is given back after that. */
  readonly leave: () => void;
}

class Seat {
  readonly occupant: Occupant;
  readonly ofSender: ReadonlySet<Seat>;
  readonly #held: ByteLease;
  readonly #waiting: ByteLease;
  /** Bytes that it holds of the room for those that wait. */
  #owed = 0;
  isLeaving = false;

  constructor(occupant: Occupant, ofSender: ReadonlySet<Seat>, [held, waiting]: readonly [ByteLease, ByteLease]) {
    this.occupant = occupant;
    this.ofSender = ofSender;
    this.#held = held;
    this.#waiting = waiting;
  }

  take(bytes: number): 'taken' | 'waits' | 'full' {
    if (this.#owed === 0 && this.#held.take(bytes)) return 'taken';
    if (!this.#waiting.take(bytes)) return 'full';
    this.#owed += bytes;
    return 'waits';
  }

  give(bytes: number): void {
    const ofWaiting = Math.min(this.#owed, bytes);
    this.#owed -= ofWaiting;
    this.#waiting.give(ofWaiting);
    this.#held.give(bytes - ofWaiting);
  }

  /** Whether what it read ahead finds room by now. */
  isLetIn(): boolean {
    if (this.#owed > 0 && !this.#held.take(this.#owed)) return false;
    this.#waiting.give(this.#owed);
    this.#owed = 0;
    return true;
  }
}

function turnAwayLargest(seats: ReadonlySet<Seat>): void {
  let largest: Seat | undefined;
  for (const seat of seats) {
    if (seat.occupant.isStoring || seat.isLeaving) return;
    if (largest === undefined || seat.occupant.idleBytes > largest.occupant.idleBytes) largest = seat;
  }
  if (largest === undefined) return;
  largest.isLeaving = true;
  largest.occupant.turnAway();
}
