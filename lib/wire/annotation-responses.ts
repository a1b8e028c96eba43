import Type from 'typebox';
import { ANNOTATION_KINDS } from '@/lib/rollup/annotations';
import { Count, Instant, Nullable } from '@/lib/wire/answer-parts';
import { literals } from '@/lib/wire/schema';

/**
 * What happened beside the attempts of a period, oldest first. Boots, changes of generation and evictions are added up
 * by step; `storm` and `incident` reach to `until`.
 */
export const Annotations = Type.Object({
  from: Instant,
  to: Instant,
  step_s: Count,
  items: Type.Array(
    Type.Object({
      at: Instant,
      until: Nullable(Instant),
      kind: literals([...ANNOTATION_KINDS, 'deploy', 'proxy_mode', 'storm', 'incident'] as const),
      count: Count,
      /** At most three, those with most first; `servers_total` says how many there are. */
      servers: Type.Array(Type.String()),
      servers_total: Count,
      /** What was deployed, what a route was switched to, or what the incident is called. */
      label: Nullable(Type.String()),
      /** Its id, of `storm` and `incident`. */
      incident: Nullable(Type.String()),
    }),
  ),
});
export type Annotations = Type.Static<typeof Annotations>;

export const Deploy = Type.Object({ server: Type.String(), version: Nullable(Type.String()), at: Instant });
