import type { StreamLog } from '@/lib/session-log/stream-log';

/** Who issued an id. */
export interface Owner {
  readonly stream: StreamLog;
  readonly position: number;
}

/** Longer is later, then by bytes: the order in which counters, zero-padded or not, and time stamps are issued. */
export const isAfter = (id: string, other: string): boolean => id.length > other.length || (id.length === other.length && id > other);

/**
 * Which stream of a session issued an id, and where. As long as one stream alone issues ids and each is greater
 * than all before it, as nearly every server numbers, nothing is kept but the greatest: a new id is known to be new
 * by one comparison. The first id that breaks this order builds a map of all that are remembered.
 */
export class IdIndex {
  private only: StreamLog | null = null;
  private greatest: string | null = null;
  private owners: Map<string, Owner | null> | null = null;

  /** Owner of an id; null when several streams or positions claim it, undefined when none that is remembered does. */
  owner(id: string): Owner | null | undefined {
    if (this.owners !== null) return this.owners.get(id);
    const { only } = this;
    if (only === null || this.isNew(id)) return undefined;
    const position = only.find(id);
    return position === null ? undefined : { stream: only, position };
  }

  /** The greatest id so far, where every one was greater than all before it; null where they were not. */
  get rising(): string | null {
    return this.owners === null ? this.greatest : null;
  }

  /** Takes an id that is greater than all before it on the only stream; false says that `claim` has to look closer. */
  claimGreatest(id: string, stream: StreamLog): boolean {
    if (this.owners !== null || (this.only !== null && (this.only !== stream || !this.isNew(id)))) return false;
    this.only = stream;
    this.greatest = id;
    return true;
  }

  /** Takes any other id that was just issued; a second owner marks both positions as reused. */
  claim(id: string, stream: StreamLog, position: number): void {
    const owners = this.mapped(stream, position);
    const owner = owners.get(id);
    if (owner === undefined) {
      owners.set(id, { stream, position });
      return;
    }
    stream.markReused(position);
    if (owner !== null) owner.stream.markReused(owner.position);
    owners.set(id, null);
  }

  /** An id of a stream is no longer remembered. */
  release(id: string, stream: StreamLog): void {
    if (this.owners === null) return;
    const owner = this.owners.get(id);
    if (owner === null || owner?.stream === stream) this.owners.delete(id);
  }

  /** A whole stream is forgotten; ids that others claimed too stay ambiguous. */
  drop(stream: StreamLog): void {
    if (this.only === stream && this.owners === null) this.clear();
    if (this.owners === null) return;
    const { owners } = this;
    stream.forEachId((id) => {
      if (owners.get(id)?.stream === stream) owners.delete(id);
    });
  }

  clear(): void {
    this.only = null;
    this.greatest = null;
    this.owners = null;
  }

  private isNew(id: string): boolean {
    return this.greatest === null || isAfter(id, this.greatest);
  }

  /** The map, built from what the one stream remembers, without the event that is being claimed. */
  private mapped(claiming: StreamLog, claimed: number): Map<string, Owner | null> {
    if (this.owners !== null) return this.owners;
    const owners = new Map<string, Owner | null>();
    const { only } = this;
    only?.forEachId((id, position) => {
      if (only !== claiming || position !== claimed) owners.set(id, { stream: only, position });
    });
    this.owners = owners;
    return owners;
  }
}
