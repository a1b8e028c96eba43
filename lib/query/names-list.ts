import type { Sql } from '@/db/connect';

/** Names that are given as parameters; a statement takes 65,534 of them, and may name its servers several times. */
const PARAMETERS_MAX = 1_000;

/** A list of names as it follows `in`; an empty one has no member. */
export function namesList(sql: Sql, names: readonly string[]) {
  if (names.length <= PARAMETERS_MAX) return sql([...names]);
  return sql`(select json_array_elements_text(${JSON.stringify(names)}::text::json))`;
}
