import { Loop } from '@/lib/delivery/loop';
import type { EnforcingProxy } from '@/lib/proxy/create-proxy';
import type { StoredWords } from '@/lib/store/stored-words';
import type { Level } from '@/server/log';

/** Notices come when something was stored; this is for a record that was not settled yet when its notice came. */
const READ_EVERY_MS = 1_000;
const READ_SPACING_MS = 100;

export interface FollowedWords {
  /** Something was stored, by whichever process. */
  readonly wake: () => void;
  readonly close: () => Promise<void>;
}

interface FollowedWordsDeps {
  readonly proxy: Pick<EnforcingProxy, 'hear'>;
  readonly words: StoredWords;
  /** Servers that routes name. */
  readonly servers: readonly string[];
  readonly log: (level: Level, message: string, fields?: Readonly<Record<string, unknown>>) => void;
}

/** Has the routes hear what the stored telemetry of their upstreams says, from now on and of the days before. */
export function followWords({ proxy, words, servers, log }: FollowedWordsDeps): FollowedWords {
  let isTroubled = false;
  const loop = new Loop({
    run: async () => {
      for (const [server, heard] of await words.read(servers)) proxy.hear(server, heard);
      isTroubled = false;
    },
    intervalMs: READ_EVERY_MS,
    spacingMs: READ_SPACING_MS,
    onError: (cause) => {
      if (!isTroubled) log('warn', 'what upstreams tell of themselves cannot be read for now', { cause });
      isTroubled = true;
    },
  });
  return { wake: () => loop.wake(), close: () => loop.close() };
}
