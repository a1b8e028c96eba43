'use client';

import { useState } from 'react';
import { changeJson } from '@/components/api/get-json';
import { Age } from '@/components/format/age';
import { formatCount } from '@/components/format/count';
import { ChangeFailure } from '@/components/settings/change-failure';
import { ConfirmButton } from '@/components/settings/confirm-button';
import { ProjectForm } from '@/components/settings/project-form';
import css from '@/components/settings/settings.module.css';
import { useSettingsChange } from '@/components/settings/use-settings';
import { Button } from '@/components/ui/button';
import { cx } from '@/components/ui/cx';
import { TextLink } from '@/components/ui/text-link';
import type { ProjectItem } from '@/lib/wire/project-responses';

interface ProjectRowProps {
  readonly project: ProjectItem;
  readonly mayChange: boolean;
  /** Whether its servers are listed below. */
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

/** One project: its keys and servers, and what can be done with it. */
export function ProjectRow({ project, mayChange, isOpen, onOpen }: ProjectRowProps) {
  const { id, name, is_default, created_at, archived_at, keys, servers } = project;
  const [isRenaming, setRenaming] = useState(false);
  const archive = useSettingsChange((archived: boolean) => changeJson('PATCH', `/api/v1/projects/${id}`, { archived }));
  return (
    <tr className={cx(archived_at !== null && css['over'])}>
      <td>
        {isRenaming ? <ProjectForm project={project} onDone={() => setRenaming(false)} /> : <b>{name}</b>}
        {is_default && <span className={css['faint']}> of whatever names no other</span>}
        {archived_at !== null && <span className={css['faint']}> archived</span>}
        <ChangeFailure what="That was not done:" cause={archive.error} />
      </td>
      <td>
        {keys === 0 ? (
          <span className={css['soft']}>0</span>
        ) : (
          <TextLink href={`/settings?tab=keys&project=${encodeURIComponent(name)}`}>{formatCount(keys)}</TextLink>
        )}
      </td>
      <td className={css['soft']}>{formatCount(servers)}</td>
      <td className={cx(css['wide'], css['soft'])}>
        <Age at={created_at} />
      </td>
      <td className={css['right']}>
        <span className={css['rowActs']}>
          {servers > 0 && (
            <Button aria-pressed={isOpen} aria-label={`Servers of ${name}`} onClick={onOpen}>
              Servers
            </Button>
          )}
          {mayChange && !isRenaming && (
            <Button aria-label={`Rename ${name}`} onClick={() => setRenaming(true)}>
              Rename
            </Button>
          )}
          {mayChange && !is_default && archived_at === null && (
            <ConfirmButton
              act="Archive"
              label={`Archive ${name}`}
              question={`Archive ${name}?`}
              disabled={archive.isPending}
              onConfirm={() => archive.mutate(true)}
            >
              It takes neither keys nor servers from now on, and is not offered as a filter. What is stored stays. Its keys must be revoked
              first.
            </ConfirmButton>
          )}
          {mayChange && archived_at !== null && (
            <Button aria-label={`Restore ${name}`} disabled={archive.isPending} onClick={() => archive.mutate(false)}>
              Restore
            </Button>
          )}
        </span>
      </td>
    </tr>
  );
}
