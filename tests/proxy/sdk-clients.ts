import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

export const LINES = ['v1', 'v2'] as const;
export type Line = (typeof LINES)[number];

/** What both lines of the SDK's client are asked to do. */
export interface SdkClient {
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<unknown>;
  readonly listTools: () => Promise<unknown>;
  /** Data of the log messages that it was sent, in order. */
  readonly said: string[];
  readonly errors: string[];
  readonly sessionId: () => string | undefined;
  /** Ends the session with a DELETE. */
  readonly terminate: () => Promise<void>;
  readonly close: () => Promise<void>;
}

interface ConnectOptions {
  readonly headers?: Record<string, string>;
  /** Speaks revision 2026-07-28 and nothing else; line v2 only. */
  readonly isModern?: boolean;
  readonly onSaid?: (data: string) => void;
}

/** A connected client of the SDK, whose own reconnecting is as it comes. */
export async function sdkClient(line: Line, url: string, options: ConnectOptions = {}): Promise<SdkClient> {
  const said: string[] = [];
  const errors: string[] = [];
  const note = (data: unknown) => {
    said.push(String(data));
    options.onSaid?.(String(data));
  };
  const requestInit = { headers: options.headers ?? {} };
  if (line === 'v1') {
    const client = new Client({ name: 'c', version: '0' });
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit });
    client.onerror = (error) => errors.push(error.message);
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => note(params.data));
    await client.connect(transport as never);
    return {
      call: (name, args = {}) => client.callTool({ name, arguments: args }),
      listTools: () => client.listTools(),
      said,
      errors,
      sessionId: () => transport.sessionId,
      terminate: () => transport.terminateSession(),
      close: () => client.close(),
    };
  }
  const client = new ClientV2({ name: 'c', version: '0' }, options.isModern ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {});
  const transport = new TransportV2(new URL(url), { requestInit });
  client.onerror = (error) => errors.push(error.message);
  client.setNotificationHandler('notifications/message', ({ params }) => note(params.data));
  await client.connect(transport);
  return {
    call: (name, args = {}) => client.callTool({ name, arguments: args }),
    listTools: () => client.listTools(),
    said,
    errors,
    sessionId: () => transport.sessionId,
    terminate: () => transport.terminateSession(),
    close: () => client.close(),
  };
}
