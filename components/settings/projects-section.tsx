'use client';

import { useState } from 'react';
import { useMay } from '@/components/api/use-me';
import { useProjects } from '@/components/api/use-projects';
import { countOf } from '@/components/format/count';
import { ProjectForm } from '@/components/settings/project-form';
import { ProjectRow } from '@/components/settings/project-row';
import { ProjectServersSection } from '@/components/settings/project-servers-section';
import { SettingsTable } from '@/components/settings/settings-table';
import { Bone } from '@/components/states/bone';
import { QueryFailure } from '@/components/states/query-failure';
import { Button } from '@/components/ui/button';
import { SectionHead } from '@/components/ui/section-head';

const HEADS = [
  { text: 'Project' },
  { text: 'Keys' },
  { text: 'Servers' },
  { text: 'Made', look: 'wide' },
  { text: 'Actions', look: 'right' },
] as const;

/** Projects: whose keys may send records of which servers. Everybody sees them, administrators change them. */
export function ProjectsSection() {
  const mayChange = useMay('admin');
  const projects = useProjects();
  const [isMaking, setMaking] = useState(false);
  const [isAll, setAll] = useState(false);
  const [openId, setOpenId] = useState<number | null>(null);
  const all = projects.data?.items ?? [];
  const current = all.filter(({ archived_at }) => archived_at === null);
  const items = isAll ? all : current;
  const open = items.find(({ id }) => id === openId);
  return (
    <>
      <section aria-label="Projects">
        <QueryFailure what="The list of projects" query={projects} />
        <SectionHead
          title={projects.data === undefined ? 'Projects' : countOf(current.length, 'project')}
          sub="a server belongs to the project whose key reported it first"
          acts={
            <>
              {all.length > current.length && (
                <Button look="ghost" aria-pressed={isAll} onClick={() => setAll(!isAll)}>
                  {isAll ? 'Hide those that are archived' : `${all.length - current.length} archived`}
                </Button>
              )}
              {mayChange && !isMaking && <Button onClick={() => setMaking(true)}>New project</Button>}
            </>
          }
        />
        {isMaking && <ProjectForm onDone={() => setMaking(false)} />}
        {projects.data === undefined && projects.isPending && <Bone height={120} />}
        {items.length > 0 && (
          <SettingsTable label="Projects" heads={HEADS}>
            {items.map((project) => (
              <ProjectRow
                key={project.id}
                project={project}
                mayChange={mayChange}
                isOpen={project.id === openId}
                onOpen={() => setOpenId(project.id === openId ? null : project.id)}
              />
            ))}
          </SettingsTable>
        )}
      </section>
      {open !== undefined && (
        <ProjectServersSection
          project={open}
          others={mayChange ? current.filter(({ id }) => id !== open.id).map(({ name }) => name) : []}
        />
      )}
    </>
  );
}
