import { DEFAULT_PROJECT_ID } from '@/lib/access/projects';
import type { Caller, Scope } from '@/lib/http/caller';
import { type KeyHasher, prefixOf } from '@/lib/http/key-text';

/** A key of the configuration file; it belongs to the default project. */
export interface ConfiguredKey {
  readonly name: string;
  readonly key: string;
  readonly scopes: readonly Scope[];
}

/** A key made through the API, as the table holds it. */
export interface StoredKey {
  readonly id: string;
  readonly prefix: string;
  /** Hexadecimal. */
  readonly hash: string;
  readonly label: string;
  /** Id of its project. */
  readonly project: number;
  readonly scopes: readonly Scope[];
  readonly expiresAtMs: number | null;
}

interface Held {
  readonly hash: Buffer;
  readonly caller: Caller;
}

/** Every key that passes now. Keys are held as keyed hashes and compared in constant time. */
export class KeyRing {
  readonly #hasher: KeyHasher;
  readonly #now: () => number;
  readonly #configured: readonly Held[];
  #stored: ReadonlyMap<string, Held & { readonly id: string; readonly expiresAtMs: number | null }> = new Map();
  #used = new Map<string, number>();

  constructor(hasher: KeyHasher, configured: readonly ConfiguredKey[], now: () => number) {
    this.#hasher = hasher;
    this.#now = now;
    this.#configured = configured.map(({ name, key, scopes }, index) => ({
      hash: hasher.hashOf(key),
      caller: { id: `configured ${index}`, name, scopes: new Set(scopes), project: DEFAULT_PROJECT_ID },
    }));
  }

  /** Takes the place of all stored keys known so far. */
  replaceStored(keys: readonly StoredKey[]): void {
    this.#stored = new Map(
      keys.map(({ id, prefix, hash, label, project, scopes, expiresAtMs }) => [
        prefix,
        { id, hash: Buffer.from(hash, 'hex'), caller: { id: `key ${id}`, name: label, scopes: new Set(scopes), project }, expiresAtMs },
      ]),
    );
  }

  /** Whose key this is; null for a text that is no key, or one that has been revoked or has expired. */
  callerOf(text: string): Caller | null {
    // All of them, so that the time taken does not tell which one nearly fitted.
    let found: Caller | null = null;
    for (const { hash, caller } of this.#configured) if (this.#hasher.isSame(text, hash)) found = caller;
    return found ?? this.#storedCaller(text);
  }

  /** When stored keys were used since the last call, by their id. */
  takeUsed(): ReadonlyMap<string, number> {
    const used = this.#used;
    this.#used = new Map();
    return used;
  }

  #storedCaller(text: string): Caller | null {
    const prefix = prefixOf(text);
    const key = prefix === null ? undefined : this.#stored.get(prefix);
    if (key === undefined || !this.#hasher.isSame(text, key.hash)) return null;
    const nowMs = this.#now();
    if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) return null;
    this.#used.set(key.id, nowMs);
    return key.caller;
  }
}
