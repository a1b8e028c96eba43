import { connectDatabase, type DatabaseAddress, type Sql } from '@/db/connect';
import { Transactions } from '@/db/transactions';

/**
 * The connections of one process, so that all of them can be given up at once: a database that neither answers nor
 * closes its connections would keep whoever waits for it waiting, and their connections with them.
 */
export class DatabasePools {
  readonly #address: DatabaseAddress;
  readonly #givingUp: (() => void)[] = [];

  constructor(address: DatabaseAddress) {
    this.#address = address;
  }

  /** Connections for single statements, as `connectDatabase` makes them. */
  statements(max: number, name: string): Sql {
    const open = (): Sql => connectDatabase(this.#address, max, name);
    let current = open();
    this.#givingUp.push(() => {
      const silent = current;
      current = open();
      // Rejects what was asked of it and what waits for a connection; the driver has no other way to do so.
      void silent.end({ timeout: 0 }).catch(() => undefined);
    });
    return new Proxy(current, {
      apply: (_first, self, args) => Reflect.apply(current, self, args),
      get: (_first, name) => Reflect.get(current, name),
    });
  }

  /** Connections for transactions. */
  transactions(max: number, name: string): Transactions {
    const transactions = new Transactions(this.#address, max, name);
    this.#givingUp.push(() => transactions.giveUp());
    return transactions;
  }

  /** Gives up everything that waits for the database, which is told so by coded errors; what is asked next connects anew. */
  giveUp(): void {
    for (const give of this.#givingUp) give();
  }
}
