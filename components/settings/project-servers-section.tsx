'use client';

import { useState } from 'react';
import { changeJson } from '@/components/api/get-json';
import { Age } from '@/components/format/age';
import { countOf, formatCount } from '@/components/format/count';
import { ChangeFailure } from '@/components/settings/change-failure';
import { ConfirmButton } from '@/components/settings/confirm-button';
import css from '@/components/settings/settings.module.css';
import { SettingsTable } from '@/components/settings/settings-table';
import { useProjectServers, useSettingsChange } from '@/components/settings/use-settings';
import { Bone } from '@/components/states/bone';
import { QueryFailure } from '@/components/states/query-failure';
import { SectionHead } from '@/components/ui/section-head';
import { TextLink } from '@/components/ui/text-link';
import type { ProjectItem } from '@/lib/wire/project-responses';

interface ProjectServersProps {
  readonly project: ProjectItem;
  /** Names of projects that a server can be moved to; none for who may not. */
  readonly others: readonly string[];
}

const HEADS = [{ text: 'Server' }, { text: 'Last heard of' }, { text: 'Move', look: 'right' }] as const;

/** The servers of a project, and the way of one to another project. */
export function ProjectServersSection({ project, others }: ProjectServersProps) {
  const servers = useProjectServers(project.id);
  const move = useSettingsChange(({ server, to }: { readonly server: string; readonly to: string }) =>
    changeJson('PUT', `/api/v1/servers/${encodeURIComponent(server)}/project`, { project: to }),
  );
  const items = servers.data?.items;
  const hidden = (servers.data?.total ?? 0) - (items?.length ?? 0);
  return (
    <section aria-label={`Servers of ${project.name}`}>
      <QueryFailure what="The list of servers" query={servers} />
      <SectionHead
        title={`${countOf(project.servers, 'server')} of ${project.name}`}
        sub={hidden > 0 ? `the first ${formatCount(items?.length ?? 0)} by name` : 'by name'}
        acts={<TextLink href={`/servers?project=${encodeURIComponent(project.name)}`}>Their state</TextLink>}
      />
      <ChangeFailure what="The server was not moved:" cause={move.error} />
      {items === undefined && servers.isPending && <Bone height={80} />}
      {items !== undefined && items.length > 0 && (
        <SettingsTable label="Servers" heads={others.length > 0 ? HEADS : HEADS.slice(0, 2)}>
          {items.map(({ server, last_seen_at }) => (
            <tr key={server}>
              <td>
                <b>{server}</b>
              </td>
              <td className={css['soft']}>{last_seen_at === null ? 'never' : <Age at={last_seen_at} />}</td>
              {others.length > 0 && (
                <td className={css['right']}>
                  <MoveServer server={server} others={others} isBusy={move.isPending} onMove={(to) => move.mutate({ server, to })} />
                </td>
              )}
            </tr>
          ))}
        </SettingsTable>
      )}
    </section>
  );
}

interface MoveServerProps {
  readonly server: string;
  readonly others: readonly string[];
  readonly isBusy: boolean;
  readonly onMove: (to: string) => void;
}

function MoveServer({ server, others, isBusy, onMove }: MoveServerProps) {
  const [chosen, setChosen] = useState('');
  const to = others.includes(chosen) ? chosen : (others[0] ?? '');
  return (
    <span className={css['rowActs']}>
      <select className={css['select']} aria-label={`Project for ${server}`} value={to} onChange={(event) => setChosen(event.target.value)}>
        {others.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <ConfirmButton
        act="Move"
        label={`Move ${server}`}
        question={`Move ${server} to ${to}?`}
        disabled={isBusy}
        onConfirm={() => onMove(to)}
      >
        What is stored of it moves along. Only keys of {to} can send records of it from now on; others are refused.
      </ConfirmButton>
    </span>
  );
}
