import { ForgottenIds, isAfter, isCountedWith, isInRun } from '@/lib/session-log/forgotten-ids';
import type { RisingIds } from '@/lib/session-log/numbering';
import type { StreamLog } from '@/lib/session-log/stream-log';

/** Who issued an id. */
export interface Owner {
  readonly stream: StreamLog;
  readonly position: number;
  /** Whether the session is known to have issued the id never before. */
  readonly isNew: boolean;
}

/**
 * Which stream of a session issued an id, and where. As long as one stream alone issues ids and each is greater
 * than all before it, as nearly every server numbers, nothing is kept but the greatest: a new id is known to be new
 * by one comparison. The first id that breaks this order builds a map of all that are remembered.
 *
 * What is no longer remembered is not forgotten that it was issued: an id that comes again later has an owner, but one
 * that is not known to be the only one.
 */
export class IdIndex {
  private readonly forgotten = new ForgottenIds();
  private only: StreamLog | null = null;
  /** Of the ids since `clear`. */
  private greatest: string | null = null;
  /** Of the ids before `clear`. */
  private greatestBefore: string | null = null;
  /** What the only stream issued first, and what of the same count it forgot last, while it is alone. */
  private first: string | null = null;
  private lastForgotten: string | null = null;
  private owners: Map<string, Owner | null> | null = null;

  /** Bytes of memory that are held of what is not remembered, about. */
  get held(): number {
    return this.forgotten.held;
  }

  /** Owner of an id; null when several streams or positions claim it, undefined when none that is remembered does. */
  owner(id: string): Owner | null | undefined {
    const owner = this.remembered(id);
    return owner?.isNew === true && this.forgotten.has(id) ? { ...owner, isNew: false } : owner;
  }

  /** The greatest id so far, where every one was greater than all before it; null where they were not. */
  get rising(): string | null {
    return this.owners === null ? this.greatest : null;
  }

  /** The ids so far, where one stream alone counted them; null where that is not so. */
  get risingIds(): RisingIds | null {
    const { only, first, greatest, owners } = this;
    if (owners !== null || only === null || first === null || greatest === null || !isCountedWith(first, greatest)) return null;
    return { stream: only.name, first, greatest };
  }

  /** Takes ids for issued and forgotten, before any other is issued. */
  continueRising(rising: RisingIds | null, streams: ReadonlyMap<string, StreamLog>): void {
    const only = rising === null ? undefined : streams.get(rising.stream);
    if (rising === null || only === undefined) return;
    this.only = only;
    this.first = rising.first;
    this.greatest = rising.greatest;
    this.lastForgotten = rising.greatest;
  }

  /** Whether an id was issued, as far as is known, and is not remembered. */
  wasForgotten(id: string): boolean {
    if (this.forgotten.has(id)) return true;
    const { first, lastForgotten } = this;
    return first !== null && lastForgotten !== null && isInRun(id, { first, last: lastForgotten });
  }

  /** Takes an id that is greater than all before it on the only stream; false says that `claim` has to look closer. */
  claimGreatest(id: string, stream: StreamLog): boolean {
    if (this.owners !== null || (this.only !== stream && this.only !== null) || !this.isGreatest(id)) return false;
    this.only = stream;
    this.first ??= id;
    this.greatest = id;
    return true;
  }

  /** Takes any other id that was just issued; a second owner marks both positions as reused. */
  claim(id: string, stream: StreamLog, position: number): void {
    const owners = this.mapped(stream, position);
    const owner = owners.get(id);
    const isNew = this.isProvablyNew(id);
    if (this.isGreatest(id)) this.greatest = id;
    if (owner === undefined) {
      owners.set(id, { stream, position, isNew });
      return;
    }
    stream.markReused(position);
    if (owner !== null) owner.stream.markReused(owner.position);
    owners.set(id, null);
  }

  /** An id of a stream is no longer remembered. */
  release(id: string, stream: StreamLog): void {
    if (this.owners === null) {
      if (this.first !== null && isCountedWith(id, this.first)) this.lastForgotten = id;
      else this.forgotten.add(id);
      return;
    }
    const owner = this.owners.get(id);
    if (owner !== null && owner?.stream !== stream) return;
    this.owners.delete(id);
    this.forgotten.add(id);
  }

  /** A whole stream is no longer remembered. */
  drop(stream: StreamLog): void {
    if (this.owners === null && this.only !== stream) return;
    stream.forEachId((id) => this.release(id, stream));
    if (this.owners !== null) return;
    this.endRun();
    this.only = null;
  }

  /** An id that something else remembered beside this index is remembered there no longer. */
  forget(id: string): void {
    this.forgotten.add(id);
  }

  /** Ids are issued anew. The caller remembers those that this index did, or says which it does not: see `forget`. */
  clear(): void {
    this.endRun();
    const { greatest, greatestBefore } = this;
    if (greatest !== null && (greatestBefore === null || isAfter(greatest, greatestBefore))) this.greatestBefore = greatest;
    this.only = null;
    this.greatest = null;
    this.owners = null;
  }

  /** Nothing was ever issued. */
  reset(): void {
    this.clear();
    this.greatestBefore = null;
    this.forgotten.clear();
  }

  private isGreatest(id: string): boolean {
    return this.greatest === null || isAfter(id, this.greatest);
  }

  /** Whether an id that is issued now was never issued before, as far as `forgotten` cannot say it later. */
  private isProvablyNew(id: string): boolean {
    return !this.forgotten.isFull || (this.isGreatest(id) && this.isAfterAllBefore(id));
  }

  private isAfterAllBefore(id: string): boolean {
    return this.greatestBefore === null || isAfter(id, this.greatestBefore);
  }

  /** The same, where nobody asks whether it is new. */
  remembered(id: string): Owner | null | undefined {
    if (this.owners !== null) return this.owners.get(id);
    const { only } = this;
    if (only === null || this.isGreatest(id)) return undefined;
    const position = only.find(id);
    return position === null ? undefined : this.ownerInRun(only, position, id);
  }

  /** In a run an id is greater than all before it in this generation. */
  private ownerInRun(stream: StreamLog, position: number, id: string): Owner {
    return { stream, position, isNew: !this.forgotten.isFull || this.isAfterAllBefore(id) };
  }

  /** What the only stream forgot of its count lies between two ids; whatever comes there later may have come before. */
  private endRun(): void {
    if (this.first !== null && this.lastForgotten !== null) this.forgotten.addRun({ first: this.first, last: this.lastForgotten });
    this.first = null;
    this.lastForgotten = null;
  }

  /** The map, built from what the one stream remembers, without the event that is being claimed. */
  private mapped(claiming: StreamLog, claimed: number): Map<string, Owner | null> {
    if (this.owners !== null) return this.owners;
    const owners = new Map<string, Owner | null>();
    const { only } = this;
    only?.forEachId((id, position) => {
      if (only !== claiming || position !== claimed) owners.set(id, this.ownerInRun(only, position, id));
    });
    this.endRun();
    this.owners = owners;
    return owners;
  }
}
