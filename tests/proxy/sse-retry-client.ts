/** Client of the conformance suite's `sse-retry`: starts a proxy in front of the given URL and calls through it; with `direct`, without one. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RouteMode } from '@/lib/proxy/route';
import { startProxy } from '@/tests/proxy/start-proxy';

const [mode, upstream] = process.argv.slice(2);
const running = mode === 'direct' ? null : await startProxy({ upstream: upstream ?? '', mode: mode as RouteMode });
const client = new Client({ name: 'sse-retry', version: '0' });
await client.connect(new StreamableHTTPClientTransport(new URL(running?.url() ?? upstream ?? '')) as never);
const { tools } = await client.listTools();
await client.callTool({ name: tools[0]?.name ?? 'test_reconnection', arguments: {} });
await client.close();
await running?.stop();
