import Type from 'typebox';
import { Count, Instant, Nullable } from '@/lib/wire/answer-parts';

/** A project: whose keys may send records of which servers. */
export const ProjectItem = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  /** The one of whatever names no other. */
  is_default: Type.Boolean(),
  created_at: Instant,
  /** Set while it takes neither keys nor servers. */
  archived_at: Nullable(Instant),
  /** Keys that hold; those of the configuration file are not counted. */
  keys: Count,
  servers: Count,
});
export type ProjectItem = Type.Static<typeof ProjectItem>;
export const ProjectList = Type.Object({ items: Type.Array(ProjectItem) });
export type ProjectList = Type.Static<typeof ProjectList>;

/** Servers of a project by name, the first thousand of `total`. */
export const ProjectServers = Type.Object({
  total: Count,
  items: Type.Array(Type.Object({ server: Type.String(), last_seen_at: Nullable(Instant) })),
});
export type ProjectServers = Type.Static<typeof ProjectServers>;
