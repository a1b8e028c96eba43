import pg from 'pg';
import type { DatabaseAddress } from '@/db/connect';
import { ConnectionLostError, DeadlineError, within } from '@/db/deadline';

/** A connection with a transaction open on it. */
export type Tx = pg.PoolClient;

/** Whatever runs single statements. */
export type Queryable = Pick<pg.ClientBase, 'query'>;

const CONNECT_MS_MAX = 5_000;
const STATEMENT_MS_MAX = 30_000;
/** The server's own limits end with the server: one that is stopped, or whose network is cut without a word, answers nothing. */
const TRANSACTION_MS_MAX = 90_000;
const KEEP_ALIVE_AFTER_MS = 10_000;

/**
 * Always listens to its own errors. One that breaks while it is being connected has no other listener, and would
 * end the process; who waits for it is told all the same.
 */
class TendedClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}

/**
 * A pool of at most `max` connections through `pg`; nothing connects before the first query.
 *
 * @param answerMsMax time for the answer to one statement, where nothing else ends what waits for it
 */
export function openPool(address: DatabaseAddress, max: number, name: string, answerMsMax?: number): pg.Pool {
  const pool = new pg.Pool({
    Client: TendedClient,
    ...('url' in address ? { connectionString: address.url } : address),
    max,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    statement_timeout: STATEMENT_MS_MAX,
    ...(answerMsMax === undefined ? {} : { query_timeout: answerMsMax }),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    application_name: `tidemark ${name}`,
    options: '-c TimeZone=UTC',
  });
  // An idle connection that breaks is taken out of the pool; whoever needs one next makes a new one.
  pool.on('error', () => undefined);
  return pool;
}

/**
 * Connections for transactions that write. They go through `pg` rather than `postgres`: only this driver tells of
 * a COPY that failed after its last byte, and survives a server that dies amid a transaction.
 */
export class Transactions {
  readonly #pool: pg.Pool;
  /** What ends each transaction that runs. */
  readonly #running = new Set<() => void>();
  readonly #msMax: number;

  /** @param msMax time for one transaction; then its connection is given up */
  constructor(address: DatabaseAddress, max: number, name: string, msMax = TRANSACTION_MS_MAX) {
    this.#msMax = msMax;
    this.#pool = openPool(address, max, name);
  }

  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it rejects.
   *
   * @throws ConnectionLostError when the server cannot be reached or went away; DeadlineError when it did not answer in time.
   */
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.runSelf(async (tx) => {
      await tx.query('begin');
      const result = await work(tx);
      await tx.query('commit');
      return result;
    });
  }

  /**
   * Runs `work` whose own statements begin and commit, so that both can travel with others in one message. A
   * transaction that is open when it rejects is rolled back.
   *
   * @param msMax time for the whole of it; then the connection is given up
   * @throws ConnectionLostError when the server cannot be reached, went away or did not answer in time.
   */
  async runSelf<T>(work: (tx: Tx) => Promise<T>, msMax = this.#msMax): Promise<T> {
    const client = await this.#connect();
    let isLost = false;
    const onLost = (): void => {
      isLost = true;
    };
    // Given up with its socket: what waits for its answers is told, and a commit under way stays unknown.
    const giveUp = (): void => {
      isLost = true;
      client.connection.stream.destroy();
    };
    this.#running.add(giveUp);
    client.on('error', onLost);
    client.on('end', onLost);
    try {
      const result = await within(msMax, work(client), giveUp);
      client.off('error', onLost);
      client.off('end', onLost);
      client.release();
      return result;
    } catch (cause) {
      isLost ||= !(await rollBack(client));
      // Without its listener a broken connection would end the process: it keeps it until it is gone.
      if (!isLost) {
        client.off('error', onLost);
        client.off('end', onLost);
      }
      client.release(isLost);
      throw isLost && !isAnswer(cause) && !(cause instanceof DeadlineError)
        ? new ConnectionLostError('the connection to the database was lost', { cause })
        : cause;
    } finally {
      this.#running.delete(giveUp);
    }
  }

  /** Ends every transaction that runs, each with a `ConnectionLostError`: for a database that answers nothing. */
  giveUp(): void {
    for (const end of [...this.#running]) end();
  }

  /** Waits for running transactions and closes. */
  close(): Promise<void> {
    return this.#pool.end();
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (cause) {
      throw isAnswer(cause) ? cause : new ConnectionLostError('the database cannot be reached', { cause });
    }
  }
}

async function rollBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    // The connection is of no use any more; the server rolls back by itself.
    return false;
  }
}

/** Whether the server itself said no, with an SQLSTATE. */
function isAnswer(cause: unknown): boolean {
  return cause instanceof pg.DatabaseError;
}
