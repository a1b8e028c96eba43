'use client';

import { parseAsString, useQueryState } from 'nuqs';

/** The project that the page looks at, null for all of them; in the URL, so that a copied link shows the same. */
export function useProject(): readonly [string | null, (project: string | null) => void] {
  const [project, setProject] = useQueryState('project', parseAsString.withOptions({ history: 'push' }));
  return [project, (next) => void setProject(next)];
}
