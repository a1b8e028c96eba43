import type { ProxyLog } from '@/lib/proxy/call';
import type { TelemetrySink } from '@/lib/proxy/telemetry';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** Records that wait for the intake at most; beyond it the newest are given up, counted, and said. */
const WAITING_MAX = 50_000;
const BATCH_MAX = 5_000;
const RETRY_MS = 500;
const TRIES_MAX = 20;

export interface IntakeSink {
  readonly sink: TelemetrySink;
  /** Resolves when everything that was taken is stored or given up. */
  readonly drain: () => Promise<void>;
}

/** Hands records to the in-process intake one batch at a time; an intake that is full is asked again. */
export function intakeSink(submit: (records: readonly TelemetryRecord[]) => Promise<unknown>, log: ProxyLog): IntakeSink {
  let waiting: TelemetryRecord[] = [];
  let running: Promise<void> | null = null;
  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_MAX);
      waiting = waiting.slice(BATCH_MAX);
      await submitPatiently(submit, batch, log);
    }
    running = null;
  };
  return {
    sink: (records) => {
      const room = WAITING_MAX - waiting.length;
      if (room < records.length) log('warn', 'telemetry given up: the intake is behind', { records: records.length - Math.max(0, room) });
      waiting.push(...records.slice(0, Math.max(0, room)));
      running ??= run();
    },
    drain: async () => {
      while (running !== null) await running;
    },
  };
}

async function submitPatiently(
  submit: (records: readonly TelemetryRecord[]) => Promise<unknown>,
  batch: readonly TelemetryRecord[],
  log: ProxyLog,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await submit(batch);
      return;
    } catch (error) {
      if (tries === TRIES_MAX) {
        log('error', 'telemetry given up: the intake does not take it', { records: batch.length, error: String(error) });
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
