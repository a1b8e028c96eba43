import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseAddress } from '@/db/connect';
import { ConnectionLostError, within } from '@/db/deadline';

const CONNECT_MS_MAX = 5_000;
/** A connection that died without a word is noticed within this and the time of one statement. */
const PING_EVERY_MS = 5_000;
const STATEMENT_MS_MAX = 10_000;
const END_MS_MAX = 1_000;
/** One connection that answers nothing may have been forgotten on its way; a second one means the database. */
const SILENT_AFTER = 2;
const BACKOFF_MS_MIN = 100;
const BACKOFF_MS_MAX = 2_000;

export interface NoticeParts {
  /** Channels to listen on, each with what is called for a notice. */
  readonly channels: ReadonlyMap<string, (payload: string) => void>;
  /** Called on the listening connection, after it listens and before it counts as up: what was missed is fetched here. */
  readonly onListening: (client: pg.ClientBase) => Promise<void>;
  readonly onTrouble: (cause: unknown) => void;
  /** Called when the database answers nothing, neither here nor on a new connection, and for each further try that ends so. */
  readonly onSilence: () => void;
}

/**
 * One connection that listens for notices of the database, for as long as it is open: a connection that is lost is
 * made anew, with back-off, and what was missed meanwhile is fetched by `onListening`.
 */
export class NoticeListener {
  readonly #address: DatabaseAddress;
  readonly #parts: NoticeParts;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #client: pg.Client | null = null;
  #isUp = false;

  constructor(address: DatabaseAddress, parts: NoticeParts) {
    this.#address = address;
    this.#parts = parts;
    this.#running = this.#keepListening();
  }

  /** Whether notices arrive now. */
  get isUp(): boolean {
    return this.#isUp;
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    if (this.#client !== null) await endOf(this.#client);
    await this.#running;
  }

  async #keepListening(): Promise<void> {
    let backoffMs = BACKOFF_MS_MIN;
    let silences = 0;
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#listenOnce(() => {
          backoffMs = BACKOFF_MS_MIN;
          silences = 0;
        });
      } catch (cause) {
        silences = cause instanceof ConnectionLostError ? silences + 1 : 0;
        if (!this.#stopping.signal.aborted) this.#parts.onTrouble(cause);
        if (silences >= SILENT_AFTER) this.#parts.onSilence();
      }
      this.#isUp = false;
      await pause(backoffMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      backoffMs = Math.min(backoffMs * 2, BACKOFF_MS_MAX);
    }
  }

  /** Listens until the connection is lost; rejects when it cannot be made. */
  async #listenOnce(onUp: () => void): Promise<void> {
    const client = new pg.Client({
      ...('url' in this.#address ? { connectionString: this.#address.url } : this.#address),
      keepAlive: true,
      application_name: 'tidemark notices',
    });
    const lost = new Promise<void>((resolve) => client.once('end', () => resolve()));
    client.on('error', () => undefined);
    client.on('notification', ({ channel, payload }) => this.#parts.channels.get(channel)?.(payload ?? ''));
    this.#client = client;
    const giveUp = () => client.connection.stream.destroy();
    try {
      await within(CONNECT_MS_MAX, client.connect(), giveUp);
      for (const channel of this.#parts.channels.keys()) await within(STATEMENT_MS_MAX, client.query(`listen ${channel}`), giveUp);
      await within(STATEMENT_MS_MAX, this.#parts.onListening(client), giveUp);
      this.#isUp = true;
      onUp();
      await this.#pingUntil(client, lost, giveUp);
    } finally {
      this.#isUp = false;
      await endOf(client);
    }
  }

  async #pingUntil(client: pg.Client, lost: Promise<void>, giveUp: () => void): Promise<void> {
    const stopped = once(this.#stopping.signal, 'abort');
    for (;;) {
      const timer = new AbortController();
      const isOver = await Promise.race([
        lost.then(() => true),
        stopped.then(() => true),
        pause(PING_EVERY_MS, false, { signal: timer.signal, ref: false }).catch(() => false),
      ]);
      timer.abort();
      if (isOver) return;
      await within(STATEMENT_MS_MAX, client.query('select 1'), giveUp);
    }
  }
}

/** Says goodbye; a server that does not answer that either is left. */
async function endOf(client: pg.Client): Promise<void> {
  await within(END_MS_MAX, client.end(), () => client.connection.stream.destroy()).catch(() => undefined);
}
