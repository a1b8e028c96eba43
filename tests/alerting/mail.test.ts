import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterEach, expect, test } from 'vitest';
import { AddressGuard } from '@/lib/delivery/address-guard';
import { openSender } from '@/lib/delivery/sender';
import { webhook } from '@/tests/alerting/world';

interface Sink {
  readonly port: number;
  readonly mails: string[];
  readonly stop: () => Promise<void>;
}

let sink: Sink | undefined;
afterEach(() => sink?.stop());

async function startSink(refusal: number | null = null): Promise<Sink> {
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    onRcptTo: (_address, _session, callback) => {
      if (refusal === null) return callback();
      return callback(Object.assign(new Error('not here'), { responseCode: refusal }));
    },
    onData: (stream, _session, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push(Buffer.concat(chunks).toString('utf8'));
        callback();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  sink = { port, mails, stop: () => new Promise((resolve) => server.close(resolve)) };
  return sink;
}

const mail = {
  id: '7d2e3a10-0000-4000-8000-000000000001',
  body: JSON.stringify({ subject: '[critical] events are lost', text: 'Proof: https://x.example/1\n' }),
};
const channel = (port: number) =>
  webhook(`smtp://127.0.0.1:${port}?from=tidemark@x.example&to=oncall@x.example&to=second@x.example`, { type: 'email' });

test('a mail arrives at a real server, under the same message id each time', async () => {
  const { port, mails } = await startSink();
  const sender = openSender(new AddressGuard(['127.0.0.1']));
  for (const _ of [1, 2])
    expect(await sender.send(channel(port), mail, 0)).toMatchObject({ outcome: 'delivered', status: 250, error: null });
  expect(mails).toHaveLength(2);
  for (const text of mails) {
    expect(text).toMatch(/^To: oncall@x\.example, second@x\.example$/m);
    expect(text).toMatch(/^Subject: \[critical\] events are lost$/m);
    expect(text).toContain(`Message-ID: <${mail.id}@tidemark>`);
    expect(text).toContain('Proof: https://x.example/1');
  }
  await sender.close();
});

test.each([
  { refusal: 550, outcome: 'refused' },
  { refusal: 450, outcome: 'unavailable' },
])('a server that says $refusal makes it $outcome', async ({ refusal, outcome }) => {
  const { port, mails } = await startSink(refusal);
  const sender = openSender(new AddressGuard(['127.0.0.1']));
  expect(await sender.send(channel(port), mail, 0)).toMatchObject({ outcome, status: refusal });
  expect(mails).toHaveLength(0);
  await sender.close();
});

test('a mail server inside is refused unless it is listed', async () => {
  const { port, mails } = await startSink();
  const sender = openSender(new AddressGuard([]));
  expect((await sender.send(channel(port), mail, 0)).error).toContain('target_not_allowed');
  expect(mails).toHaveLength(0);
  await sender.close();
});
