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

/** Records that were given up and not told of yet, by server. */
export type Untold = ReadonlyMap<string, number>;

export interface IntakeSink {
  readonly sink: TelemetrySink;
  /** Resolves when everything that was taken is stored or given up, with what nobody was told of: the next process is to say it. */
  readonly drain: () => Promise<Untold>;
}

type Submit = (records: readonly TelemetryRecord[]) => Promise<unknown>;

const NO_LOSS: Untold = new Map();
/** Whose records are of none in particular. */
const DEFAULT_SERVER = 'default';

/**
 * Hands records to the in-process intake one batch at a time; an intake that is full is asked again. Of what is given up, the last
 * record of each server is kept and says how many were dropped before it, so that the product knows what it did not see.
 *
 * @param untold what an earlier process gave up at its end; the next record of each server says so
 */
export function intakeSink(submit: Submit, log: ProxyLog, limits: Partial<SinkLimits> = {}, untold = NO_LOSS): IntakeSink {
  const line = new SinkLine(submit, log, { ...LIMITS, ...limits }, new Map(untold));
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
    /** Of servers that no record has come of yet, and what was given up at the end. */
    private readonly untold: Map<string, number>,
  ) {}

  take(taken: readonly TelemetryRecord[]): void {
    this.#takeLost();
    const records = this.untold.size === 0 ? taken : taken.map((record) => this.#withUntold(record));
    const room = Math.max(0, this.limits.waitingMax - this.#waiting.length);
    this.#waiting.push(...records.slice(0, room));
    const rest = records.slice(room);
    if (rest.length > 0) this.log('warn', 'telemetry given up: the intake is behind', { records: rest.length });
    foldLost(this.#lost, rest);
    this.#running ??= this.#run();
  }

  async drain(): Promise<Untold> {
    this.#isDraining = true;
    while (this.#running !== null) await this.#running;
    return this.untold;
  }

  #withUntold(record: TelemetryRecord): TelemetryRecord {
    const { server = DEFAULT_SERVER, dropped_before = 0 } = record;
    const dropped = this.untold.get(server);
    if (dropped === undefined) return record;
    this.untold.delete(server);
    return { ...record, dropped_before: dropped_before + dropped };
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

  /** What is said at the end of the process is not heard any more: then everything is given up that waits, and left to the next one to say. */
  #giveUp(batch: readonly TelemetryRecord[], error: unknown): void {
    const given = this.#isDraining ? [...batch, ...this.#waiting.splice(0), ...this.#lost.values()] : batch;
    this.log('error', 'telemetry given up: the intake does not take it', { records: given.length, error: String(error) });
    if (this.#isDraining) {
      this.#lost.clear();
      for (const { server = DEFAULT_SERVER, dropped_before = 0 } of given)
        this.untold.set(server, (this.untold.get(server) ?? 0) + 1 + dropped_before);
    } else this.#waiting.unshift(...foldLost(new Map(), batch).values());
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
