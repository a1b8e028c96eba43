import type { Sql } from '@/db/connect';

const DAY_MS = 86_400_000;
const PARTITIONED = ['attempt', 'record'] as const;
/** Duplicate table, and duplicate key of the catalogue. */
const MADE_MEANWHILE: ReadonlySet<unknown> = new Set(['42P07', '23505']);

/** Day partitions of the big tables: made ahead for the coming days, and on demand for late records. */
export class Partitions {
  readonly #sql: Sql;
  readonly #known = new Set<number>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Makes sure that rows of the given instants (epoch milliseconds) have a partition to go to. */
  async ensure(instants: Iterable<number>): Promise<void> {
    const days = new Set<number>();
    for (const instant of instants) {
      const day = Math.floor(instant / DAY_MS);
      if (!this.#known.has(day)) days.add(day);
    }
    for (const day of [...days].sort((a, b) => a - b)) {
      for (const table of PARTITIONED) await this.#create(table, day);
      this.#known.add(day);
    }
  }

  /** Forgets which days there are: another process may have dropped some. */
  forget(): void {
    this.#known.clear();
  }

  async #create(table: (typeof PARTITIONED)[number], day: number): Promise<void> {
    const from = new Date(day * DAY_MS).toISOString();
    const to = new Date((day + 1) * DAY_MS).toISOString();
    const name = `${table}_${from.slice(0, 10).replaceAll('-', '')}`;
    // Asked first: even `if not exists` takes a lock that waits for every running write.
    const [existing] = await this.#sql`select to_regclass(${name}) is not null as "exists"`;
    if (existing?.['exists'] === true) return;
    try {
      await this.#sql.unsafe(`create table if not exists ${name} partition of ${table} for values from ('${from}') to ('${to}')`);
    } catch (cause) {
      // "If not exists" looks before it waits for its lock: another process may have made it meanwhile.
      if (!MADE_MEANWHILE.has(cause instanceof Error ? (cause as { code?: unknown }).code : undefined)) throw cause;
    }
  }
}
