'use client';

import { type FormEvent, useId, useState } from 'react';
import { changeJson } from '@/components/api/get-json';
import { ChangeFailure } from '@/components/settings/change-failure';
import css from '@/components/settings/settings.module.css';
import { useSettingsChange } from '@/components/settings/use-settings';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/field';
import type { ProjectItem } from '@/lib/wire/project-responses';

interface ProjectFormProps {
  /** The one to be renamed; without, a new one is made. */
  readonly project?: ProjectItem;
  readonly onDone: () => void;
}

/** Gives a project its name: a new one, or one that there is. */
export function ProjectForm({ project, onDone }: ProjectFormProps) {
  const id = useId();
  const [name, setName] = useState(project?.name ?? '');
  const send = useSettingsChange(() => {
    const body = { name: name.trim() };
    return project === undefined
      ? changeJson('POST', '/api/v1/projects', body)
      : changeJson('PATCH', `/api/v1/projects/${project.id}`, body);
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') send.mutate(undefined, { onSuccess: onDone });
  };
  return (
    <form onSubmit={submit} aria-label={project === undefined ? 'New project' : `Name of ${project.name}`}>
      <div className={css['form']}>
        <TextField id={id} label="Name" required maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
      </div>
      <div className={css['acts']}>
        <Button type="submit" look="primary" disabled={send.isPending}>
          {project === undefined ? 'Make the project' : 'Rename'}
        </Button>
        <Button look="ghost" onClick={onDone}>
          Cancel
        </Button>
      </div>
      <ChangeFailure what={project === undefined ? 'The project was not made:' : 'The project was not renamed:'} cause={send.error} />
    </form>
  );
}
