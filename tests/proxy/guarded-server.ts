import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import type { OAuthServerProvider } from '@modelcontextprotocol/sdk/server/auth/provider.js';
import { getOAuthProtectedResourceMetadataUrl, mcpAuthRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { OAuthClientInformationFull } from '@modelcontextprotocol/sdk/shared/auth.js';
import { freePort } from '@/demo/children/free-port';
import type { RunningServer } from '@/tests/proxy/real-servers';
import { listen, stopServer } from '@/tests/proxy/start-proxy';

export interface GuardedServer extends RunningServer {
  /** Resources that tokens were asked for. */
  readonly asked: (string | undefined)[];
}

interface Grant {
  readonly challenge: string;
  readonly resource: URL | undefined;
}

/** Hands out codes without asking anybody, and remembers what for. */
class Provider implements OAuthServerProvider {
  readonly asked: (string | undefined)[] = [];
  private readonly clients = new Map<string, OAuthClientInformationFull>();
  private readonly grants = new Map<string, Grant>();

  readonly clientsStore = {
    getClient: (id: string) => this.clients.get(id),
    registerClient: (client: Omit<OAuthClientInformationFull, 'client_id' | 'client_id_issued_at'>) => {
      const full = { ...client, client_id: randomUUID() };
      this.clients.set(full.client_id, full);
      return full;
    },
  };

  authorize: OAuthServerProvider['authorize'] = async (_client, { codeChallenge, redirectUri, resource }, res) => {
    const code = randomUUID();
    this.grants.set(code, { challenge: codeChallenge, resource });
    res.redirect(`${redirectUri}?code=${code}`);
  };

  challengeForAuthorizationCode: OAuthServerProvider['challengeForAuthorizationCode'] = async (_client, code) =>
    this.grants.get(code)?.challenge ?? '';

  exchangeAuthorizationCode: OAuthServerProvider['exchangeAuthorizationCode'] = async (_client, code) => {
    const resource = this.grants.get(code)?.resource;
    this.asked.push(resource?.href);
    this.grants.set(`token-${code}`, { challenge: '', resource });
    return { access_token: `token-${code}`, token_type: 'Bearer', expires_in: 3600 };
  };

  exchangeRefreshToken: OAuthServerProvider['exchangeRefreshToken'] = async () => {
    throw new Error('no refresh tokens are given');
  };

  verifyAccessToken: OAuthServerProvider['verifyAccessToken'] = async (token) => {
    const grant = this.grants.get(token);
    if (grant === undefined) throw new Error('no such token');
    const { resource } = grant;
    return { token, clientId: 'c', scopes: [], expiresAt: 2 ** 40, ...(resource === undefined ? {} : { resource }) };
  };
}

/**
 * A v1 SDK server behind the SDK's own bearer check, metadata and authorization server. It names itself by `publicUrl`, as one behind
 * a gateway does; by default by the URL at which it listens.
 */
export async function guardedServer(publicUrl?: string): Promise<GuardedServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const resourceServerUrl = new URL(publicUrl ?? url);
  const provider = new Provider();
  const app = createMcpExpressApp();
  const issuerUrl = new URL(`http://127.0.0.1:${port}`);
  app.use(mcpAuthRouter({ provider, issuerUrl, resourceServerUrl }));
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const guard = requireBearerAuth({ verifier: provider, resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resourceServerUrl) });
  app.all('/mcp', guard, async (req, res) => {
    const known = transports.get(String(req.headers['mcp-session-id']));
    const transport =
      known ??
      new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void transports.set(id, transport),
      });
    if (known === undefined) {
      const mcp = new McpServer({ name: 'guarded', version: '0' });
      mcp.registerTool('greet', { description: 'greets' }, async () => ({ content: [{ type: 'text', text: 'welcome' }] }));
      await mcp.connect(transport as never);
    }
    await transport.handleRequest(req, res, req.body);
  });
  const server = createServer(app);
  await listen(server, port);
  return { url, asked: provider.asked, stop: () => stopServer(server) };
}
