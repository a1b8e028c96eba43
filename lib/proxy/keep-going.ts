import type { Call } from '@/lib/proxy/call';
import type { Maybe } from '@/lib/proxy/log-store';

/** Live traffic goes on whatever the store does; what it then cannot know it will refuse to vouch for. */
export function keepGoing<T>(call: Call, fallback: T, work: () => Maybe<T>): Maybe<T> {
  const note = (error: unknown): T => {
    call.ctx.log('error', 'session log store failed', { route: call.route.route.name, error: String(error) });
    return fallback;
  };
  try {
    const outcome = work();
    return outcome instanceof Promise ? outcome.catch(note) : outcome;
  } catch (error) {
    return note(error);
  }
}
