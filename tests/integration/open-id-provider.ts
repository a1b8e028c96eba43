import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** A real provider of OpenID Connect on a loopback port. Whoever signs in as `name` is name@example.org there. */
export interface OpenIdProvider {
  readonly issuer: string;
  readonly stop: () => Promise<void>;
}

/** Its users whose address it does not call verified. */
export const UNVERIFIED = 'stranger';

export async function startOpenIdProvider(clientId: string, clientSecret: string, redirectUri: string): Promise<OpenIdProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    cookies: { keys: ['a key of the test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, email: `${id}@example.org`, email_verified: id !== UNVERIFIED, name: `${id} of the provider` }),
    }),
  });
  server.on('request', provider.callback());
  return {
    issuer,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
