import { execFileSync } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { Transactions } from '@/db/transactions';
import type { PostgresConnection } from '@/lib/postgres/supervisor';

/** Writes the rows of the table to a file. */
export function exportRows(transactions: Transactions, file: string): Promise<void> {
  return transactions.run((tx) => pipeline(tx.query(copyTo('copy (select * from attempt) to stdout')), createWriteStream(file)));
}

/** Copies the rows of the file into the table and answers with the milliseconds that it took. */
export async function copyRows(transactions: Transactions, connection: PostgresConnection, file: string): Promise<number> {
  const began = performance.now();
  if (hasPsql()) {
    const { host, port, user, database } = connection;
    execFileSync('psql', ['-qX', '-h', host, '-p', String(port), '-U', user, '-d', database, '-c', `\\copy attempt from '${file}'`]);
  } else await transactions.run((tx) => pipeline(createReadStream(file), tx.query(copyFrom('copy attempt from stdin'))));
  return performance.now() - began;
}

/** Whether the machine has psql; without, the driver's COPY is measured instead. */
export function hasPsql(): boolean {
  try {
    execFileSync('psql', ['--version']);
    return true;
  } catch {
    return false;
  }
}
