'use client';

import { useProjects } from '@/components/api/use-projects';
import { projectOptions } from '@/components/projects/project-options';
import css from '@/components/projects/project-select.module.css';
import { useProject } from '@/components/projects/use-project';

/** Which project the page looks at. Nothing where there is only one. */
export function ProjectSelect() {
  const [project, setProject] = useProject();
  const options = projectOptions(useProjects().data?.items, project);
  if (options.length === 0) return null;
  return (
    <select
      className={css['select']}
      aria-label="Project"
      data-chosen={project !== null}
      data-below-on-phone
      value={project ?? ''}
      onChange={(event) => setProject(event.target.value === '' ? null : event.target.value)}
    >
      <option value="">All projects</option>
      {options.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
