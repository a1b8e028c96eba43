import { existsSync, statSync } from 'node:fs';

/** Who runs the database server; empty for "whoever runs this process". */
export interface RunIdentity {
  readonly uid?: number;
  readonly gid?: number;
}

/** `nobody` on every Linux and BSD that matters; PostgreSQL refuses to run as uid 0. */
const NOBODY = 65534;

/**
 * The identity that PostgreSQL runs under. An ordinary user runs it as itself. Root hands it to the owner of
 * an existing `pgdata`, or to `nobody`, so that no account has to be created.
 */
export function runIdentity(pgdata: string): RunIdentity {
  if (process.getuid?.() !== 0) return {};
  if (existsSync(pgdata)) {
    const { uid, gid } = statSync(pgdata);
    if (uid !== 0) return { uid, gid };
  }
  return { uid: NOBODY, gid: NOBODY };
}
