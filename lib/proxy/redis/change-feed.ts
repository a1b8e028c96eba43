import type { Redis } from 'ioredis';
import { changeChannel } from '@/lib/proxy/redis/keys';

/** Calls back after every change of a session, whichever replica made it. */
export class ChangeFeed {
  private readonly watchers = new Map<string, Set<() => void>>();

  constructor(
    private readonly subscriber: Redis,
    private readonly onError: (error: Error) => void,
  ) {
    subscriber.on('message', (channel) => {
      for (const watcher of this.watchers.get(channel) ?? []) watcher();
    });
  }

  /** Answers how to stop. */
  watch(key: string, onChange: () => void): () => void {
    const channel = changeChannel(key);
    const watchers = this.watchers.get(channel) ?? new Set();
    if (watchers.size === 0) this.subscriber.subscribe(channel).then(onChange, this.onError);
    watchers.add(onChange);
    this.watchers.set(channel, watchers);
    return () => {
      watchers.delete(onChange);
      if (watchers.size > 0) return;
      this.watchers.delete(channel);
      this.subscriber.unsubscribe(channel).catch(this.onError);
    };
  }
}
