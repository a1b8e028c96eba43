import Type from 'typebox';
import { Count } from '@/lib/wire/answer-parts';
import { literals } from '@/lib/wire/schema';

/** JSON Schemas of what the API says about the enforcing proxy. Counts run since the process started; instants are epoch milliseconds. */
export const PROXY_MODES = ['shadow', 'canary', 'enforce'] as const;

const Counts = Type.Record(Type.String(), Count);

export const ProxyRouteItem = Type.Object({
  name: Type.String(),
  upstream: Type.String(),
  mode: literals(PROXY_MODES),
  configured_mode: literals(PROXY_MODES),
  /** Share of sessions that `canary` enforces on. */
  canary_percent: Type.Number(),
  configured_canary_percent: Type.Number(),
  replay: literals(['upstream', 'proxy'] as const),
  refusal: literals(['status', 'terminal_error', 'auto'] as const),
  requests: Count,
  streams: Count,
  open_streams: Count,
  events: Count,
  resumed: Count,
  /** By reason. */
  refused: Counts,
  would_refuse: Counts,
  /** Share of attempts that shadow would have refused, 0 to 1; null where it judged too few to tell. The breaker's yardstick. */
  predicted_rate: Type.Union([Type.Null(), Type.Number()]),
});
export type ProxyRouteItem = Type.Static<typeof ProxyRouteItem>;
export const ProxyRouteList = Type.Object({ items: Type.Array(ProxyRouteItem) });
export type ProxyRouteList = Type.Static<typeof ProxyRouteList>;

export const ProxySessionItem = Type.Object({
  ref: Type.String(),
  /** Processes that served it since they started. */
  nodes: Type.Array(Type.String()),
  generation: Type.String(),
  created_at: Type.Integer(),
  last_at: Type.Integer(),
  streams: Type.Array(
    Type.Object({
      stream: Type.String(),
      floor: Count,
      head: Count,
      retained_bytes: Count,
      has_listener: Type.Boolean(),
      is_read_upstream: Type.Boolean(),
      lead_to_floor: Type.Union([Type.Null(), Type.Integer()]),
    }),
  ),
});
export type ProxySessionItem = Type.Static<typeof ProxySessionItem>;
export const ProxySessionList = Type.Object({
  items: Type.Array(ProxySessionItem),
  /** Processes that the list is of; null: of the one that answers, which shares its sessions with no other. */
  replicas: Type.Union([Type.Null(), Count]),
  /** Processes that did not answer in time, whose sessions are missing. */
  silent: Count,
});
export type ProxySessionList = Type.Static<typeof ProxySessionList>;
