import { Loop } from '@/lib/delivery/loop';
import type { EnforcingProxy } from '@/lib/proxy/create-proxy';
import { isOfBreaker } from '@/lib/proxy/refusal-breaker';
import { decisionFor } from '@/lib/resume/decision';
import type { Reason } from '@/lib/resume/types';
import type { Level } from '@/server/log';

const READ_EVERY_MS = 5 * 60_000;
const READ_SPACING_MS = 5_000;

export interface ForetoldRates {
  /** A route was switched: what is foretold for it ends here. */
  readonly wake: () => void;
  readonly close: () => Promise<void>;
}

interface ForetoldRatesDeps {
  readonly proxy: Pick<EnforcingProxy, 'routes' | 'foretell'>;
  /** What the rules said of a route's stored attempts while it was in shadow. */
  readonly shadowCounts: (route: string, mode: string) => Promise<ReadonlyMap<Reason, number>>;
  readonly log: (level: Level, message: string, fields?: Readonly<Record<string, unknown>>) => void;
}

/** Has each route's breaker know what its stored days in shadow foretell: a restart forgets what a process saw by itself. */
export function foretellRates({ proxy, shadowCounts, log }: ForetoldRatesDeps): ForetoldRates {
  const loop = new Loop({
    run: async () => {
      for (const { name, mode } of proxy.routes()) proxy.foretell(name, foretold(await shadowCounts(name, mode)));
    },
    intervalMs: READ_EVERY_MS,
    spacingMs: READ_SPACING_MS,
    onError: (cause) => log('warn', 'what shadow foretells of refusals cannot be read for now', { cause }),
  });
  return { wake: () => loop.wake(), close: () => loop.close() };
}

function foretold(counts: ReadonlyMap<Reason, number>) {
  const totals = { attempts: 0, refusals: 0 };
  for (const [reason, attempts] of counts) {
    const decision = decisionFor(reason, null);
    if (!isOfBreaker(decision)) continue;
    totals.attempts += attempts;
    if (decision.verdict === 'refuse') totals.refusals += attempts;
  }
  return totals;
}
