import type { RouteScope } from '@/lib/http/caller';
import { HttpError } from '@/lib/http/http-error';
import type { Route } from '@/lib/http/route';

/** WebSockets as the OpenAPI document can tell of them; a request that asks for no upgrade is told to. */
export const webSocketRoutes: readonly Route[] = [
  webSocketRoute('/api/v1/telemetry/ws', 'ingest', 'A WebSocket: takes telemetry in frames and acknowledges each after its commit'),
  webSocketRoute('/api/v1/live', 'read', 'A WebSocket: tells that something was stored'),
];

function webSocketRoute(path: string, scope: RouteScope, summary: string): Route {
  return {
    method: 'GET',
    path,
    summary,
    scope,
    answers: {},
    errors: ['upgrade_required'],
    handle: () => {
      throw new HttpError('upgrade_required', `${path} is a WebSocket`, { headers: { connection: 'upgrade', upgrade: 'websocket' } });
    },
  };
}
