import type { NewSession } from '@/lib/proxy/log-store';
import { ROUTE_DEFAULTS } from '@/lib/proxy/route';
import type { NewEvent } from '@/lib/session-log/event-ring';
import type { Retention } from '@/lib/session-log/stream-log';
import { frame } from '@/tests/proxy/scripted-upstream';

/** A session that a test writes into a store by hand. */
export const newSession = (retention: Retention = ROUTE_DEFAULTS.buffer): NewSession => ({
  principal: 'p',
  isHeardFromStart: true,
  retention,
  incarnation: 1,
  instance: null,
});

/** An event of such a session. */
export const newEvent = (id: string, bytes = 3): NewEvent => ({
  id,
  fingerprint: 1,
  bytes,
  frame: Buffer.from(frame(id)),
  isAnswer: false,
  isOwnId: true,
  at: Date.now(),
});
