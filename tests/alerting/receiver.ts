import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface Received {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Whether the reference library accepts the signature; null where no secret was given. */
  readonly isSigned: boolean | null;
}

/** Answers the n-th request, counted from 0. */
export type Behaviour = (response: ServerResponse, index: number, request: Received) => void;

/** A webhook receiver on a real socket: counts what arrives, and answers as it is told. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly Received[];
  behave: Behaviour;
  /** Resolves when `count` requests have arrived. */
  readonly arrived: (count: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export const answer =
  (status: number, headers: Record<string, string> = {}, body = ''): Behaviour =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

export async function startReceiver(secret: string | null = null, behave: Behaviour = answer(204)): Promise<Receiver> {
  const requests: Received[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const body = Buffer.concat(chunks).toString('utf8');
    const received = {
      id: String(request.headers['webhook-id']),
      headers: request.headers,
      body,
      isSigned: verified(secret, body, request.headers),
    };
    requests.push(received);
    receiver.behave(response, requests.length - 1, received);
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    requests,
    behave,
    arrived: (count) => (requests.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve }))),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

function verified(secret: string | null, body: string, headers: IncomingHttpHeaders): boolean | null {
  if (secret === null) return null;
  try {
    new Webhook(secret).verify(body, Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])));
    return true;
  } catch {
    // The reference verifier says no by throwing.
    return false;
  }
}
