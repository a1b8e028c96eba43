import type { Sql } from '@/db/connect';
import type { UpstreamWord } from '@/lib/proxy/upstream-words';
import { queryUpstreamWords } from '@/lib/query/upstream-words';
import { SettledBatch } from '@/lib/store/settled-batch';

/** How far back what was told is read at the start: a session that lives longer is judged without it. */
const PAST_MS = 2 * 86_400_000;

/** What servers told of their numberings, each word once and in the order of its receipt, across processes and crashes. */
export class StoredWords {
  readonly #sql: Sql;
  readonly #now: () => number;
  readonly #settled: SettledBatch;
  #place = 0;

  constructor(sql: Sql, now: () => number) {
    this.#sql = sql;
    this.#now = now;
    this.#settled = new SettledBatch(sql, now);
  }

  /** What was settled since the last read, by server. Rejects when the database cannot be asked; nothing is lost by that. */
  async read(servers: readonly string[]): Promise<ReadonlyMap<string, UpstreamWord[]>> {
    const upToBatch = await this.#settled.read();
    const words = await queryUpstreamWords(this.#sql, servers, { abovePlace: this.#place, upToBatch, sinceMs: this.#now() - PAST_MS });
    const byServer = new Map<string, UpstreamWord[]>();
    for (const { server, ...word } of words) {
      const own = byServer.get(server);
      if (own === undefined) byServer.set(server, [word]);
      else own.push(word);
      this.#place = word.place;
    }
    return byServer;
  }
}
