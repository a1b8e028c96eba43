import Type from 'typebox';
import { Check } from 'typebox/value';
import { HttpError, invalidField } from '@/lib/http/http-error';
import { ok, type Route } from '@/lib/http/route';
import type { RouteStatus, SessionStatus } from '@/lib/proxy/route-status';
import { PROXY_MODES, ProxyRouteItem, ProxyRouteList, ProxySessionList } from '@/lib/wire/proxy-responses';
import { literals } from '@/lib/wire/schema';
import type { ProxyService } from '@/server/proxy-service';
import type { ServiceParts } from '@/server/services';

const SESSIONS_MAX = 500;
const ModeChange = Type.Object({
  mode: literals(PROXY_MODES),
  /** Share of sessions, in percent, that `canary` enforces on; absent: as it is. */
  canary_percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
});

/**
 * The routes of the proxy over the API: what they do, their mode, their live sessions. Counts run since the process
 * started. Who switched a mode or ended a session stands in the change log.
 */
export function proxyRoutes({ proxy, keepMode }: ProxyService, noteChange: ServiceParts['noteChange']): Route[] {
  const noRoute = (name: string | undefined) => new HttpError('not_found', `there is no proxy route ${name ?? ''}`);
  return [
    {
      method: 'GET',
      path: '/api/v1/proxy/routes',
      summary: 'Routes of the enforcing proxy with their mode and counts',
      answers: { 200: ProxyRouteList },
      handle: () => ok({ items: proxy.routes().map(routeItem) }),
    },
    {
      method: 'PUT',
      path: '/api/v1/proxy/routes/{route}/mode',
      summary: 'Switches a route between shadow, canary and enforce, and the share of canary, for restarts and every replica too',
      scope: 'operate',
      body: { 'application/json': ModeChange },
      answers: { 200: ProxyRouteItem },
      errors: ['malformed_json', 'invalid_field', 'not_found'],
      handle: async ({ caller, params, body }) => {
        const change = readMode((await body()).text);
        const name = params['route'] ?? '';
        const statusNow = () => proxy.routes().find((route) => route.name === name);
        const from = statusNow();
        if (from === undefined || !proxy.setMode(name, change.mode, change.canary_percent)) throw noRoute(name);
        const to = statusNow() ?? from;
        if (from.mode !== to.mode || from.canaryPercent !== to.canaryPercent)
          await keepMode({ route: name, from, to, actor: caller.name, action: 'proxy.mode_switched' });
        return ok(routeItem(to));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/proxy/routes/{route}/sessions',
      summary: `Live sessions of a route over all replicas, the latest ${SESSIONS_MAX}, each with floor, head, listener and lead to the floor of its streams`,
      answers: { 200: ProxySessionList },
      errors: ['not_found', 'session_log_unavailable'],
      handle: async ({ params }) => {
        const list = await proxy.allSessions(params['route'] ?? '', SESSIONS_MAX);
        if (list === null) throw noRoute(params['route']);
        return ok({ ...list, items: list.items.map(sessionItem) });
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/proxy/routes/{route}/sessions/{ref}',
      summary: 'Ends a session, whichever replica serves it: its later requests get 404 where the route enforces',
      scope: 'operate',
      answers: { 200: Type.Object({ ended: Type.Boolean() }) },
      errors: ['not_found', 'session_log_unavailable'],
      handle: async ({ caller, params }) => {
        if (!(await proxy.endSession(params['route'] ?? '', params['ref'] ?? '')))
          throw new HttpError('not_found', 'there is no such live session');
        const change = { action: 'proxy.session_ended', subject: `${params['route']}/${params['ref']}`, before: null, after: null };
        await noteChange({ ...change, actor: caller.name });
        return ok({ ended: true });
      },
    },
  ];
}

function readMode(text: string): Type.Static<typeof ModeChange> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new HttpError('malformed_json', 'the body is not valid JSON', { cause });
  }
  if (Check(ModeChange, value)) return value;
  const isModeKnown = Check(Type.Object({ mode: literals(PROXY_MODES) }), value);
  throw isModeKnown
    ? invalidField('canary_percent', 'must be a number from 0 to 100')
    : invalidField('mode', `must be one of ${PROXY_MODES.join(', ')}`);
}

function routeItem(status: RouteStatus) {
  const { configuredMode, canaryPercent, configuredCanaryPercent, openStreams, wouldRefuse, predictedRate, ...same } = status;
  return {
    ...same,
    configured_mode: configuredMode,
    canary_percent: canaryPercent,
    configured_canary_percent: configuredCanaryPercent,
    open_streams: openStreams,
    would_refuse: wouldRefuse,
    predicted_rate: predictedRate,
  };
}

function sessionItem({ ref, nodes, generation, createdAt, lastAt, streams }: SessionStatus) {
  return {
    ref,
    nodes: [...nodes],
    generation,
    created_at: createdAt,
    last_at: lastAt,
    streams: streams.map(({ stream, floor, head, retainedBytes, hasListener, isReadUpstream, leadToFloor }) => ({
      stream,
      floor,
      head,
      retained_bytes: retainedBytes,
      has_listener: hasListener,
      is_read_upstream: isReadUpstream,
      lead_to_floor: leadToFloor,
    })),
  };
}
