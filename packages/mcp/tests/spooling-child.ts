/** Queues records that it cannot send, says so and waits to be killed. Run as a child: spooling-child.ts URL DIRECTORY COUNT */
import { createTidemark } from '../src/index.js';

const [url = '', directory = '', count = '0'] = process.argv.slice(2);
const tidemark = createTidemark({ url, server: 's', node: 'child', spool: { directory }, maxBatchRecords: 10, onProblem: () => undefined });
for (let n = 0; n < Number(count); n++) tidemark.record({ type: 'client', session: 's', event: 'applied', code: n });
// What was queued in this turn is written at its end.
setImmediate(() => setImmediate(() => process.send?.('queued')));
process.on('message', () => undefined);
