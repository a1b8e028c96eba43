import type { Sql } from '@/db/connect';
import { DEFAULT_PROJECT_ID } from '@/lib/access/projects';
import { REMEMBERED_MAX, storable } from '@/lib/store/dictionary';
import type { RecordToStore } from '@/lib/store/record-to-store';

export interface KnownServer {
  readonly id: number;
  /** Id of the project that it belongs to. */
  readonly project: number;
}

/** The dictionary of servers. A name belongs to the project that reported it first, until an administrator moves it. */
export class ServerDictionary {
  readonly #sql: Sql;
  #known = new Map<string, KnownServer>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * The servers of all `records`, giving those that nobody reported before to whoever does so now: of two projects that do
   * at the same moment, one. The map holds at least their names.
   */
  async serversOf(records: readonly Pick<RecordToStore, 'server' | 'project'>[]): Promise<ReadonlyMap<string, KnownServer>> {
    if (this.#known.size > REMEMBERED_MAX) this.forget();
    // The map of this moment: one that is forgotten meanwhile keeps what may be out of date to this call.
    const known = this.#known;
    const unknown = new Map<string, number>();
    let last: string | null = null;
    for (const { server, project } of records) {
      if (server === last) continue;
      last = server;
      if (!known.has(server) && !unknown.has(server)) unknown.set(server, project ?? DEFAULT_PROJECT_ID);
    }
    if (unknown.size > 0) {
      const stored = await this.#add(unknown);
      for (const name of unknown.keys()) {
        const server = stored.get(storable(name));
        if (server !== undefined) known.set(name, server);
      }
    }
    return known;
  }

  /** Forgets what it knows, since a server was moved; the next record of each asks the table again. */
  forget(): void {
    this.#known = new Map();
  }

  async #add(servers: ReadonlyMap<string, number>): Promise<Map<string, KnownServer>> {
    // Sorted, so that processes that add the same names wait for each other in one order.
    const named = [...servers].map(([name, project]) => ({ name: storable(name), project }));
    const list = JSON.stringify(named.sort((a, b) => (a.name < b.name ? -1 : 1)));
    await this.#sql`
      insert into server (name, project_id)
      select name, project from json_to_recordset(${list}::text::json) as given (name text, project int) on conflict do nothing`;
    const rows = await this.#sql<{ id: number; name: string; project: number }[]>`
      select id, name, project_id as project from server
      where name in (select name from json_to_recordset(${list}::text::json) as given (name text))`;
    return new Map(rows.map(({ id, name, project }) => [name, { id, project }]));
  }
}
