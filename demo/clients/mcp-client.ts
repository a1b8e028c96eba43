import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** What the demo asks of a client, on either SDK line. */
export interface DemoClient {
  readonly sessionId: string | undefined;
  /** Names of log messages that were delivered, in order. */
  readonly received: readonly string[];
  /** Event ids in the order of arrival on calls that asked for them. */
  readonly cursors: readonly string[];
  call(tool: string, args: Record<string, unknown>, timeoutMs?: number): Promise<unknown>;
  /** Resumes a stream by hand, as an application does that kept a cursor. */
  resume(lastEventId: string): Promise<void>;
  /** Ends the session at the server, then closes. */
  end(): Promise<void>;
  close(): Promise<void>;
}

export interface ClientIdentity {
  readonly sdk: 'v1' | 'v2';
  readonly name: string;
  readonly version: string;
}

const RECONNECTION = { initialReconnectionDelay: 40, maxReconnectionDelay: 200, reconnectionDelayGrowFactor: 1.5, maxRetries: 2 };
const CALL_TIMEOUT_MS = 30_000;

/** Connects a real SDK client. A patient one goes on trying to reconnect for about ten seconds. */
export function connectClient(url: URL, identity: ClientIdentity, isPatient = false): Promise<DemoClient> {
  const reconnectionOptions = isPatient ? { ...RECONNECTION, maxReconnectionDelay: 500, maxRetries: 20 } : RECONNECTION;
  return identity.sdk === 'v1' ? connectV1(url, identity, reconnectionOptions) : connectV2(url, identity, reconnectionOptions);
}

async function connectV1(url: URL, { name, version }: ClientIdentity, reconnectionOptions: typeof RECONNECTION): Promise<DemoClient> {
  const transport = new TransportV1(url, { reconnectionOptions });
  const client = new ClientV1({ name, version });
  const received: string[] = [];
  const cursors: string[] = [];
  client.fallbackNotificationHandler = async ({ params }) => void received.push(String(params?.['data']));
  // A refused resume is the subject of this demo, not a failure of it.
  client.onerror = () => undefined;
  // The SDK's own types disagree under exactOptionalPropertyTypes; the object is its own transport.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    get sessionId() {
      return transport.sessionId;
    },
    received,
    cursors,
    call: (tool, args, timeout = CALL_TIMEOUT_MS) =>
      client.callTool({ name: tool, arguments: args }, undefined, {
        timeout,
        onprogress: () => undefined,
        onresumptiontoken: (id) => void cursors.push(id),
      }),
    // A refusal rejects here; it is told by the server.
    resume: (lastEventId) => transport.resumeStream(lastEventId).catch(() => undefined),
    end: async () => {
      await transport.terminateSession();
      await client.close();
    },
    close: () => client.close(),
  };
}

async function connectV2(url: URL, { name, version }: ClientIdentity, reconnectionOptions: typeof RECONNECTION): Promise<DemoClient> {
  const transport = new TransportV2(url, { reconnectionOptions });
  const client = new ClientV2({ name, version });
  const received: string[] = [];
  const cursors: string[] = [];
  client.fallbackNotificationHandler = async ({ params }) => void received.push(String(params?.['data']));
  client.onerror = () => undefined;
  await client.connect(transport);
  return {
    get sessionId() {
      return transport.sessionId;
    },
    received,
    cursors,
    call: (tool, args, timeout = CALL_TIMEOUT_MS) =>
      client.callTool(
        { name: tool, arguments: args },
        { timeout, onprogress: () => undefined, onresumptiontoken: (id: string) => void cursors.push(id) },
      ),
    // A refusal rejects here; it is told by the server.
    resume: (lastEventId) => transport.resumeStream(lastEventId).catch(() => undefined),
    end: async () => {
      await transport.terminateSession();
      await client.close();
    },
    close: () => client.close(),
  };
}
