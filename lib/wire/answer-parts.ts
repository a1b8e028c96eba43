import Type from 'typebox';

/** What the schemas of answers are made of. Instants are RFC 3339 text in UTC. */
export const Instant = Type.String({ format: 'date-time' });
export const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([Type.Null(), schema]);
export const Count = Type.Integer({ minimum: 0 });
/** A count for each of some words. */
export const countsOf = <const T extends readonly string[]>(keys: T) =>
  Type.Object(Object.fromEntries(keys.map((key) => [key, Count])) as { [K in T[number]]: Type.TInteger });
