import type { DatabaseAddress, Sql } from '@/db/connect';
import { NoticeListener } from '@/db/notices';
import { Loop } from '@/lib/delivery/loop';
import { LiveHub } from '@/lib/live/live-hub';
import { queryLiveTail } from '@/lib/query/live-events';
import { KEYS_CHANNEL } from '@/lib/store/keys-channel';
import { joinLiveFeed, LIVE_CHANNEL, LIVE_RETAINED } from '@/lib/store/live-log';

export interface LiveFeed {
  readonly hub: LiveHub;
  /** Whether what other processes store is heard of now. */
  readonly isUp: () => boolean;
  readonly close: () => Promise<void>;
}

export interface LiveFeedParts {
  readonly database: DatabaseAddress;
  readonly sql: Sql;
  /** Called when access keys were changed, by any process. */
  readonly onKeysChanged: () => void;
  /** Called when something was stored, by any process, or may have been. */
  readonly onStored: () => void;
  /** Called while the database answers nothing. */
  readonly onSilence: () => void;
  readonly log: (level: 'warn', message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** One failure may be a connection that was killed in its first moment; two in a row are an outage. */
const DEAF_AFTER = 2;
/** What is told in between is told together. */
const PULL_SPACING_MS = 250;
/** Notices are not lost while their connection stands; this is for what nobody thought of. */
const PULL_EVERY_MS = 15_000;

/** Opens the live feed: one connection that hears of what any process does, and the pages that are told. Resolves when it hears. */
export async function openLiveFeed({ database, sql, onKeysChanged, onStored, onSilence, log }: LiveFeedParts): Promise<LiveFeed> {
  const warn = (cause: unknown) => log('warn', 'what other processes do is not heard of for now', { cause });
  const hub = new LiveHub({ tail: (after, limit) => queryLiveTail(sql, after, limit), retained: LIVE_RETAINED });
  let isFirst = true;
  let failures = 0;
  let onHeard: () => void = () => undefined;
  const heard = new Promise<void>((resolve) => {
    onHeard = resolve;
  });
  const pull = new Loop({ run: () => hub.pull(), intervalMs: PULL_EVERY_MS, spacingMs: PULL_SPACING_MS, onError: warn });
  const listener = new NoticeListener(database, {
    channels: new Map([
      [
        LIVE_CHANNEL,
        () => {
          pull.wake();
          onStored();
        },
      ],
      [KEYS_CHANNEL, onKeysChanged],
    ]),
    onListening: async (client) => {
      await joinLiveFeed(client, isFirst ? null : hub.place);
      isFirst = false;
      failures = 0;
      await hub.pull();
      onKeysChanged();
      onStored();
      onHeard();
    },
    onTrouble: (cause) => {
      warn(cause);
      failures++;
      if (failures === DEAF_AFTER) hub.sendAway();
    },
    onSilence,
  });
  await heard;
  return {
    hub,
    isUp: () => listener.isUp,
    close: async () => {
      hub.close();
      await Promise.all([listener.close(), pull.close()]);
    },
  };
}
