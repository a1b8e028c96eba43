import type { Sql } from '@/db/connect';

/** Names remembered per dictionary; beyond it the memory starts anew, the table keeps everything. */
export const REMEMBERED_MAX = 100_000;

/** A dictionary table: names that repeat on every row, each with its number. */
export class Dictionary {
  readonly #sql: Sql;
  readonly #table: 'node' | 'client';
  #numbers = new Map<string, number>();

  constructor(sql: Sql, table: 'node' | 'client') {
    this.#sql = sql;
    this.#table = table;
  }

  /** The numbers of all `names`, giving new names theirs. The map holds at least these names. */
  async numbersOf(names: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
    if (this.#numbers.size + names.size > REMEMBERED_MAX) this.#numbers = new Map();
    const numbers = this.#numbers;
    const unknown = [...names].filter((name) => !numbers.has(name));
    if (unknown.length === 0) return numbers;
    const stored = await this.#add(unknown.map(storable));
    for (const name of unknown) {
      const number = stored.get(storable(name));
      if (number !== undefined) numbers.set(name, number);
    }
    return numbers;
  }

  async #add(names: string[]): Promise<Map<string, number>> {
    // Sorted, so that processes that add the same names wait for each other in one order.
    const list = JSON.stringify(names.sort());
    const table = this.#sql(this.#table);
    await this.#sql`
      insert into ${table} (name) select value from json_array_elements_text(${list}::text::json) on conflict do nothing`;
    const rows = await this.#sql<{ id: number; name: string }[]>`
      select id, name from ${table} where name in (select value from json_array_elements_text(${list}::text::json))`;
    return new Map(rows.map((row) => [row.name, row.id]));
  }
}

/** Postgres stores no half of a surrogate pair. */
export function storable(name: string): string {
  return name.replace(/\p{Surrogate}/gu, '\ufffd');
}
