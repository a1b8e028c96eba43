/** Thread of the continuous audit: its work must not delay the intake, the API or the proxy. */
import { parentPort, workerData } from 'node:worker_threads';
import { connectDatabase } from '@/db/connect';
import { Transactions } from '@/db/transactions';
import { StateLostError } from '@/lib/auditor/audit-source';
import { Auditor } from '@/lib/auditor/auditor';
import { Loop } from '@/lib/delivery/loop';
import { PostgresAuditSource } from '@/lib/store/audit-source';
import { databaseTrouble } from '@/lib/store/database-trouble';
import { SessionRefs } from '@/lib/store/session-ref';
import type { AuditorSettings, FromAuditor, ToAuditor } from './auditor-messages';

const READ_CONNECTIONS = 2;
/** Other processes store as well, and silences come to pass unasked. */
const ROUND_EVERY_MS = 1_000;
const ROUND_SPACING_MS = 100;

if (parentPort === null) throw new Error('the auditor is started as a thread');
const port = parentPort;
// Started by our own parent and by nobody else.
const settings = workerData as AuditorSettings;
const say = (message: FromAuditor): void => port.postMessage(message);

const sql = connectDatabase(settings.database, READ_CONNECTIONS, 'auditor');
const locks = connectDatabase(settings.database, 1, 'auditor locks');
const transactions = new Transactions(settings.database, 1, 'auditor');
const refs = new SessionRefs(settings.secret);
const auditor = new Auditor({
  source: new PostgresAuditSource(sql, locks, transactions, (server) => refs.unnamedOf(server), Date.now),
  limits: settings,
  pageRecords: settings.pageRecords,
  checkpointMs: settings.checkpointMs,
  now: Date.now,
  onStored: ({ newFindings, rejudged }, records) =>
    say({ type: 'stored', records, rejudged, findings: newFindings.map(({ code, severity }) => ({ code, severity })) }),
  onTrouble: (server, cause) => {
    if (cause instanceof StateLostError) {
      const { message, code } = cause;
      const detail = String(cause.cause);
      say({ type: 'trouble', message: `server ${server} is audited from here on, its stored findings stand: ${message}`, code, detail });
    } else tellTrouble(`the audit of server ${server} failed and begins again where it was saved`, cause);
  },
});
const loop = new Loop({
  run: async () => {
    let isStopped = false;
    while (!isStopped && (await auditor.round())) {
      say({ type: 'progress', ...auditor.progress });
      isStopped = isClosing;
    }
    say({ type: 'progress', ...auditor.progress });
  },
  intervalMs: ROUND_EVERY_MS,
  spacingMs: ROUND_SPACING_MS,
  onError: (cause) => tellTrouble('the audit waits for the database', cause),
});

let isClosing = false;
port.on('message', (message: ToAuditor) => {
  if (message.type === 'wake') loop.wake();
  else void close();
});

async function close(): Promise<void> {
  if (isClosing) return;
  isClosing = true;
  await loop.close();
  await auditor.close();
  await Promise.all([transactions.close(), sql.end({ timeout: 2 }), locks.end({ timeout: 2 })]);
  port.close();
}

function tellTrouble(message: string, cause: unknown): void {
  // While the database is away every round fails alike, and other parts tell of it.
  if (databaseTrouble(cause) !== null) return;
  say({ type: 'trouble', message, detail: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) });
}
