import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Intake } from '@/lib/intake/intake';
import type { HeldMemory } from '@/lib/proxy/memory-bound';
import type { RecordToStore } from '@/lib/store/record-to-store';

/** What Prometheus may ask of this process. Names are stable; counts are since the start of the process. */
export class Metrics {
  readonly registry = new Registry();
  readonly #records = new Counter({
    name: 'tidemark_records_stored_total',
    help: 'Telemetry records stored, by type',
    labelNames: ['type'],
    registers: [this.registry],
  });
  readonly #attempts = new Counter({
    name: 'tidemark_attempts_total',
    help: 'Resume attempts stored, by mark',
    labelNames: ['mark'],
    registers: [this.registry],
  });
  readonly #unavailable = new Counter({
    name: 'tidemark_resume_unavailable_total',
    help: 'Refusals of a live session’s cursor',
    registers: [this.registry],
  });
  readonly #answers = new Counter({
    name: 'tidemark_http_answers_total',
    help: 'HTTP answers, by route and status',
    labelNames: ['route', 'status'],
    registers: [this.registry],
  });
  readonly #setAside = new Counter({
    name: 'tidemark_rollups_set_aside_total',
    help: 'Transactions of the intake whose records could not be added to the rollups',
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Watches the waiting records of an intake. */
  watch(intake: Intake): void {
    new Gauge({
      name: 'tidemark_intake_waiting_records',
      help: 'Records that wait for their commit',
      registers: [this.registry],
      collect() {
        this.set(intake.depth);
      },
    });
  }

  /** Watches what the proxy holds of session logs in memory. */
  watchProxy(held: () => HeldMemory): void {
    const gauge = (name: string, help: string, read: (memory: HeldMemory) => number) =>
      new Gauge({
        name,
        help,
        registers: [this.registry],
        collect() {
          this.set(read(held()));
        },
      });
    gauge('tidemark_proxy_held_bytes', 'Bytes of session logs that the proxy holds in memory', ({ bytes }) => bytes);
    gauge('tidemark_proxy_held_bytes_max', 'Bytes beyond which the longest silent sessions give up', ({ bytesMax }) => bytesMax);
    gauge('tidemark_proxy_held_sessions', 'Sessions whose logs the proxy holds in memory', ({ sessions }) => sessions);
    gauge('tidemark_proxy_given_up_events', 'Events given up since the start because too much was held', ({ givenUp }) => givenUp);
  }

  countStored(records: readonly RecordToStore[]): void {
    const types = new Map<string, number>();
    const marks = new Map<string, number>();
    let unavailable = 0;
    for (const { type, attempt } of records) {
      types.set(type, (types.get(type) ?? 0) + 1);
      if (attempt === null) continue;
      marks.set(attempt.mark, (marks.get(attempt.mark) ?? 0) + 1);
      if (attempt.isUnavailable) unavailable++;
    }
    for (const [type, count] of types) this.#records.inc({ type }, count);
    for (const [mark, count] of marks) this.#attempts.inc({ mark }, count);
    this.#unavailable.inc(unavailable);
  }

  countSetAside(): void {
    this.#setAside.inc();
  }

  countAnswer(route: string | null, status: number): void {
    this.#answers.inc({ route: route ?? 'none', status });
  }
}
