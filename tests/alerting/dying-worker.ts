/**
 * A worker in a process of its own that is killed at a given moment: `before` sending what it claimed, or `after`
 * sending and before noting it. Told by its arguments; ends only by its own SIGKILL.
 */
import { connectDatabase, type DatabaseAddress } from '@/db/connect';
import { Transactions } from '@/db/transactions';
import type { Channel } from '@/lib/delivery/channel';
import type { Sender } from '@/lib/delivery/sender';
import { DeliveryWorker } from '@/lib/delivery/worker';
import { PostgresOutbox } from '@/lib/store/alerting-outbox';
import { loopbackSender } from '@/tests/alerting/world-parts';

const [moment, text, at] = process.argv.slice(2);
const { address, channel }: { address: DatabaseAddress; channel: Channel } = JSON.parse(text ?? '{}');
const nowMs = Number(at);

const real = loopbackSender();
const die = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
};
const sender: Sender = {
  send: async (to, message, now) => {
    if (moment === 'before') return die();
    await real.send(to, message, now);
    return die();
  },
  close: () => real.close(),
};

await new DeliveryWorker({
  outbox: new PostgresOutbox(connectDatabase(address, 2, 'dying worker'), new Transactions(address, 2, 'dying worker')),
  sender,
  channels: () => Promise.resolve(new Map([[channel.name, channel]])),
  now: () => nowMs,
  random: () => 0.5,
  elapsed: () => performance.now(),
}).drain();
