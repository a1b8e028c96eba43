import { afterEach, expect, test } from 'vitest';
import { AddressGuard } from '@/lib/delivery/address-guard';
import type { Address } from '@/lib/delivery/guarded-lookup';
import { openSender } from '@/lib/delivery/sender';
import { type Receiver, startReceiver } from '@/tests/alerting/receiver';
import { webhook } from '@/tests/alerting/world';

const outgoing = { id: 'msg_1', body: '{}' };
const receivers: Receiver[] = [];
const limits = { totalMs: 60_000, connectMs: 30_000, responseBytes: 1_024 };

async function receiver(): Promise<Receiver> {
  const started = await startReceiver();
  receivers.push(started);
  return started;
}

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((one) => one.stop()));
});

/** Answers each question with the next of the given addresses, and the last one for ever. */
function resolver(...answers: string[]) {
  const asked: string[] = [];
  const resolve = (hostname: string): Promise<Address[]> => {
    asked.push(hostname);
    const address = answers[Math.min(asked.length, answers.length) - 1] ?? '';
    return Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }]);
  };
  return { asked, resolve };
}

test.each([
  'http://127.0.0.1',
  'http://localhost',
  'http://[::1]',
  'http://[::ffff:127.0.0.1]',
  'http://2130706433',
  'http://0x7f.1',
  'http://0177.0.0.1',
  'http://127.1',
  'http://0.0.0.0',
  'https://127.0.0.1',
  'https://localhost',
  'https://[::ffff:127.0.0.1]',
])('%s is refused without a connection', async (origin) => {
  const sink = await receiver();
  const sender = openSender(new AddressGuard([]), undefined, limits);
  const result = await sender.send(webhook(`${origin}:${sink.port}/`), outgoing, 0);
  expect(result).toMatchObject({ outcome: 'unavailable', status: null });
  expect(result.error).toContain('target_not_allowed');
  expect(sink.requests).toHaveLength(0);
  await sender.close();
});

test('a name that leads inside is refused, also when only one of its addresses does', async () => {
  const sink = await receiver();
  const both = (): Promise<Address[]> =>
    Promise.resolve([
      { address: '93.184.216.34', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]);
  const sender = openSender(new AddressGuard([]), both, limits);
  const result = await sender.send(webhook(`https://hooks.example:${sink.port}/`), outgoing, 0);
  expect(result.error).toContain('target_not_allowed');
  expect(sink.requests).toHaveLength(0);
  await sender.close();
});

test('an answer that changes between check and connect changes nothing: the name is asked once per connection', async () => {
  const sink = await receiver();
  // The first address is allowed and nobody listens there; a second look-up would lead to the receiver.
  const changing = resolver('127.0.0.9', '127.0.0.1');
  const sender = openSender(new AddressGuard(['127.0.0.9']), changing.resolve, limits);
  const first = await sender.send(webhook(`http://rebind.example:${sink.port}/`), outgoing, 0);
  expect(first).toMatchObject({ outcome: 'unavailable', status: null });
  expect(changing.asked).toEqual(['rebind.example']);
  const second = await sender.send(webhook(`http://rebind.example:${sink.port}/`), outgoing, 0);
  expect(second.error).toContain('target_not_allowed');
  expect(changing.asked).toEqual(['rebind.example', 'rebind.example']);
  expect(sink.requests).toHaveLength(0);
  await sender.close();
});

test('a listed address is reached by name, and the receiver sees the name', async () => {
  const sink = await receiver();
  const sender = openSender(new AddressGuard(['127.0.0.1/32']), resolver('127.0.0.1').resolve, limits);
  const result = await sender.send(webhook(`http://hooks.example:${sink.port}/`), outgoing, 0);
  expect(result.outcome).toBe('delivered');
  expect(sink.requests[0]?.headers.host).toBe(`hooks.example:${sink.port}`);
  await sender.close();
});

test('without encryption only listed targets are used', async () => {
  const sender = openSender(new AddressGuard([]), resolver('93.184.216.34').resolve, limits);
  for (const url of ['http://hooks.example/', 'http://93.184.216.34/']) {
    const result = await sender.send(webhook(url), outgoing, 0);
    expect(result.error).toContain('without encryption');
  }
  await sender.close();
});

test('what is logged of a failure never holds the secret part of an address', async () => {
  const sender = openSender(new AddressGuard([]), undefined, limits);
  const result = await sender.send(webhook('http://user:hunter2@127.0.0.1:1/services/T0/SECRET'), outgoing, 0);
  expect(JSON.stringify(result)).not.toMatch(/hunter2|SECRET/);
  await sender.close();
});
