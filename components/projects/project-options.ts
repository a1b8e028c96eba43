import type { ProjectItem } from '@/lib/wire/project-responses';

type Project = Pick<ProjectItem, 'name' | 'archived_at'>;

/** Names that one can choose among; none where there is nothing to choose. What is chosen is always among them. */
export function projectOptions(projects: readonly Project[] | undefined, chosen: string | null): string[] {
  const names = (projects ?? []).filter(({ name, archived_at }) => archived_at === null || name === chosen).map(({ name }) => name);
  if (chosen === null) return names.length > 1 ? names : [];
  return names.includes(chosen) ? names : [...names, chosen];
}
