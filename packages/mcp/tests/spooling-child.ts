/**
 * Sends records, queues others that it may not be able to send, says what it counts and waits to be killed; told to
 * `close` it closes and says what it counts then. Run as a child or a thread: spooling-child.ts URL DIRECTORY COUNT [SENT] [OPTIONS as JSON]
 */
import { parentPort } from 'node:worker_threads';
import { createTidemark } from '../src/index.js';

const [url = '', directory = '', count = '0', sent = '0', options = '{}'] = process.argv.slice(2);
const problems: string[] = [];
const tidemark = createTidemark({
  url,
  server: 's',
  node: 'child',
  spool: { directory },
  maxBatchRecords: 10,
  onProblem: ({ code }) => problems.push(code),
  ...JSON.parse(options),
});
const note = (from: number, to: number) => {
  for (let n = from; n < to; n++) tidemark.record({ type: 'client', session: 's', event: 'applied', code: n });
};
const say = () => {
  const said = { stats: tidemark.stats, problems };
  if (parentPort === null) process.send?.(said);
  else parentPort.postMessage(said);
};
(parentPort ?? process).on('message', () => void tidemark.close().then(say));
note(0, Number(sent));
if (Number(sent) > 0) await tidemark.flush();
note(Number(sent), Number(sent) + Number(count));
// What was queued in this turn is written at its end.
setImmediate(() => setImmediate(say));
