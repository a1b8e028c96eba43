import type { ProxyLog } from '@/lib/proxy/call';
import type { TelemetrySink } from '@/lib/proxy/telemetry';
import type { TelemetryRecord } from '@/lib/wire/schema';

interface SinkLimits {
  /** Records that wait for the intake at most; beyond it the newest are given up, counted, and said. */
  readonly waitingMax: number;
  readonly batchMax: number;
  readonly retryMs: number;
  /** Tries of one batch before it is given up. */
  readonly triesMax: number;
}

const LIMITS: SinkLimits = { waitingMax: 50_000, batchMax: 5_000, retryMs: 500, triesMax: 20 };

export interface IntakeSink {
  readonly sink: TelemetrySink;
  /** Resolves when everything that was taken is stored or given up. */
  readonly drain: () => Promise<void>;
}

type Submit = (records: readonly TelemetryRecord[]) => Promise<unknown>;

/**
 * Hands records to the in-process intake one batch at a time; an intake that is full is asked again. Of what is given up, the last
 * record of each server is kept and says how many were dropped before it, so that the product knows what it did not see.
 */
export function intakeSink(submit: Submit, log: ProxyLog, limits: Partial<SinkLimits> = {}): IntakeSink {
  const line = new SinkLine(submit, log, { ...LIMITS, ...limits });
  return { sink: (records) => line.take(records), drain: () => line.drain() };
}

class SinkLine {
  #waiting: TelemetryRecord[] = [];
  /** By server, the last record that there was no room for; goes next when there is. */
  #lost = new Map<string | undefined, TelemetryRecord>();
  #running: Promise<void> | null = null;
  #isDraining = false;

  constructor(
    private readonly submit: Submit,
    private readonly log: ProxyLog,
    private readonly limits: SinkLimits,
  ) {}

  take(records: readonly TelemetryRecord[]): void {
    this.#takeLost();
    const room = Math.max(0, this.limits.waitingMax - this.#waiting.length);
    this.#waiting.push(...records.slice(0, room));
    const rest = records.slice(room);
    if (rest.length > 0) this.log('warn', 'telemetry given up: the intake is behind', { records: rest.length });
    foldLost(this.#lost, rest);
    this.#running ??= this.#run();
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    for (;;) {
      this.#takeLost();
      if (this.#waiting.length === 0) break;
      const batch = this.#waiting.slice(0, this.limits.batchMax);
      this.#waiting = this.#waiting.slice(this.limits.batchMax);
      const error = await this.#submitPatiently(batch);
      if (error !== null) this.#giveUp(batch, error);
    }
    this.#running = null;
  }

  /** They are one per server and bounded by those: they may go beyond the room. */
  #takeLost(): void {
    if (this.#lost.size === 0 || this.#waiting.length >= this.limits.waitingMax) return;
    this.#waiting.push(...this.#lost.values());
    this.#lost = new Map();
  }

  /** What is said at the end of the process is not heard any more: then everything is given up that waits. */
  #giveUp(batch: readonly TelemetryRecord[], error: unknown): void {
    const given = this.#isDraining ? [...batch, ...this.#waiting.splice(0), ...this.#lost.values()] : batch;
    this.log('error', 'telemetry given up: the intake does not take it', { records: given.length, error: String(error) });
    if (this.#isDraining) this.#lost.clear();
    else this.#waiting.unshift(...foldLost(new Map(), batch).values());
  }

  /** Null when the batch is stored, otherwise why it was not at the last try. */
  async #submitPatiently(batch: readonly TelemetryRecord[]): Promise<unknown> {
    for (let tries = 1; ; tries++) {
      try {
        await this.submit(batch);
        return null;
      } catch (error) {
        if (tries >= this.limits.triesMax) return error;
        await new Promise((resolve) => setTimeout(resolve, this.limits.retryMs));
      }
    }
  }
}

/** Keeps the last record of each server and counts in it those before it, with what they said of others. */
function foldLost<T extends Map<string | undefined, TelemetryRecord>>(lost: T, records: readonly TelemetryRecord[]): T {
  for (const record of records) {
    const last = lost.get(record.server);
    const dropped = (record.dropped_before ?? 0) + (last === undefined ? 0 : 1 + (last.dropped_before ?? 0));
    // Set anew, so that they stay in the order of their coming.
    lost.delete(record.server);
    lost.set(record.server, dropped === 0 ? record : { ...record, dropped_before: dropped });
  }
  return lost;
}
