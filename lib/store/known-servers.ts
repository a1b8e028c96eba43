import type { RecordToStore } from '@/lib/store/record-to-store';
import type { KnownServer } from '@/lib/store/server-dictionary';

/** Numbers of the servers that a group of records is of. */
export interface KnownServers {
  readonly of: (record: RecordToStore) => number;
  /** Of a server that a rejected record names; 0 where it names none that its sender may report for. */
  readonly ofRejected: (name: string | null, project: number | null) => number;
}

/** @param known at least the servers of the records. */
export function knownServers(known: ReadonlyMap<string, KnownServer>): KnownServers {
  return {
    of: ({ server }) => knownOf(known, server).id,
    ofRejected: (name, project) => {
      const server = name === null ? undefined : known.get(name);
      return server === undefined || (project !== null && server.project !== project) ? 0 : server.id;
    },
  };
}

/** What a dictionary says of a name that was added to it. */
export function knownOf<T>(known: ReadonlyMap<string, T>, name: string): T {
  const entry = known.get(name);
  if (entry === undefined) throw new Error('a name was added to its dictionary and is not there');
  return entry;
}
