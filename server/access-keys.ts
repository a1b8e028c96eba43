import type { Sql } from '@/db/connect';
import type { Transactions } from '@/db/transactions';
import { Loop } from '@/lib/delivery/loop';
import type { ConfiguredKey } from '@/lib/http/key-ring';
import { KeyRing } from '@/lib/http/key-ring';
import { KeyHasher } from '@/lib/http/key-text';
import { AccessKeyStore } from '@/lib/store/access-keys';

export interface AccessKeys {
  readonly ring: KeyRing;
  readonly hasher: KeyHasher;
  readonly store: AccessKeyStore;
  /** Reads the stored keys again; resolves when they, or later ones, are in force here. */
  readonly reload: () => Promise<void>;
  /** Calls back whenever keys that were read are in force. */
  readonly onRead: (listener: () => void) => void;
  readonly close: () => Promise<void>;
}

export interface AccessKeysParts {
  readonly sql: Sql;
  readonly transactions: Transactions;
  readonly secret: Uint8Array;
  readonly configured: readonly ConfiguredKey[];
  readonly now: () => number;
  readonly log: (level: 'warn', message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** Other processes tell of changed keys; what they could not tell is seen after this long. */
const RELOAD_EVERY_MS = 10_000;
const NOTE_USED_EVERY_MS = 60_000;

/** Opens the keys that callers may have: those of the configuration file, and those made through the API. */
export async function openAccessKeys({ sql, transactions, secret, configured, now, log }: AccessKeysParts): Promise<AccessKeys> {
  const store = new AccessKeyStore(sql, transactions);
  const hasher = new KeyHasher(secret);
  const ring = new KeyRing(hasher, configured, now);
  const listeners: (() => void)[] = [];
  let begun = 0;
  let inForce = 0;
  const reload = async () => {
    const number = ++begun;
    const held = await store.held(now());
    // An answer that a later read overtook may still hold a key that was revoked in between.
    if (number < inForce) return;
    inForce = number;
    ring.replaceStored(held);
    for (const listener of listeners) listener();
  };
  await reload();
  const watch = new Loop({
    run: reload,
    intervalMs: RELOAD_EVERY_MS,
    spacingMs: RELOAD_EVERY_MS,
    onError: (cause) => log('warn', 'access keys could not be read again; those known stay in force', { cause }),
  });
  const noteUsed = async () => store.noteUsed(ring.takeUsed());
  const notes = new Loop({
    run: noteUsed,
    intervalMs: NOTE_USED_EVERY_MS,
    spacingMs: NOTE_USED_EVERY_MS,
    onError: (cause) => log('warn', 'the last use of access keys could not be noted', { cause }),
  });
  return {
    ring,
    hasher,
    store,
    reload,
    onRead: (listener) => void listeners.push(listener),
    close: async () => {
      await Promise.all([watch.close(), notes.close()]);
      await noteUsed().catch(() => undefined);
    },
  };
}
