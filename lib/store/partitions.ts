import type { Sql } from '@/db/connect';
import { createUnlessDropped, droppedBeforeMs } from '@/lib/store/dropped-days';

const DAY_MS = 86_400_000;
const PARTITIONED = ['attempt', 'record'] as const;
/** Duplicate table, and duplicate key of the catalogue. */
const MADE_MEANWHILE: ReadonlySet<unknown> = new Set(['42P07', '23505']);

/** Day partitions of the big tables: made ahead for the coming days, and on demand for late records. */
export class Partitions {
  readonly #sql: Sql;
  readonly #known = new Set<number>();
  #droppedBefore = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Makes sure that rows of the given instants (epoch milliseconds) have a partition to go to. Answers with the instant before
   * which none has: a day that was dropped is not made again.
   */
  async ensure(instants: Iterable<number>): Promise<number> {
    const days = new Set<number>();
    for (const instant of instants) {
      const day = Math.floor(instant / DAY_MS);
      if (!this.#known.has(day) && day * DAY_MS >= this.#droppedBefore) days.add(day);
    }
    if (days.size === 0) return this.#droppedBefore;
    await this.#readDropped();
    for (const day of [...days].sort((a, b) => a - b)) {
      if (day * DAY_MS < this.#droppedBefore) continue;
      if (await this.#createAll(day)) this.#known.add(day);
      else await this.#readDropped();
    }
    return this.#droppedBefore;
  }

  /** Forgets which days there are, and which were dropped: another process may have dropped some. */
  forget(): void {
    this.#known.clear();
    this.#droppedBefore = 0;
  }

  async #readDropped(): Promise<void> {
    this.#droppedBefore = await droppedBeforeMs(this.#sql);
  }

  /** False where the day was dropped meanwhile. */
  async #createAll(day: number): Promise<boolean> {
    for (const table of PARTITIONED) if (!(await this.#create(table, day))) return false;
    return true;
  }

  async #create(table: (typeof PARTITIONED)[number], day: number): Promise<boolean> {
    const name = `${table}_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`;
    // Asked first: even `if not exists` takes a lock that waits for every running write.
    const [existing] = await this.#sql`select to_regclass(${name}) is not null as "exists"`;
    if (existing?.['exists'] === true) return true;
    try {
      return await createUnlessDropped(this.#sql, table, name, day * DAY_MS);
    } catch (cause) {
      // "If not exists" looks before it waits for its lock: another process may have made it meanwhile.
      if (!MADE_MEANWHILE.has(cause instanceof Error ? (cause as { code?: unknown }).code : undefined)) throw cause;
      return true;
    }
  }
}
