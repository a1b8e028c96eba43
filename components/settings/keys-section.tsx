'use client';

import { useState } from 'react';
import { changeJson, postJson } from '@/components/api/get-json';
import { useMay, useMe } from '@/components/api/use-me';
import { useProjects } from '@/components/api/use-projects';
import { countOf } from '@/components/format/count';
import { ProjectSelect } from '@/components/projects/project-select';
import { useProject } from '@/components/projects/use-project';
import { ChangeFailure } from '@/components/settings/change-failure';
import { ForAdmins } from '@/components/settings/for-admins';
import { KeyForm } from '@/components/settings/key-form';
import { type KeyAct, KeyRow } from '@/components/settings/key-row';
import { SettingsTable } from '@/components/settings/settings-table';
import { ShownOnce } from '@/components/settings/shown-once';
import { useKeys, useSettingsChange } from '@/components/settings/use-settings';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { Button } from '@/components/ui/button';
import { SectionHead } from '@/components/ui/section-head';
import type { AccessKeyMade } from '@/lib/wire/key-responses';

const HEADS = [
  { text: 'Key' },
  { text: 'Scopes' },
  { text: 'Made', look: 'wide' },
  { text: 'Last used' },
  { text: 'State', look: 'wide' },
  { text: 'Actions', look: 'right' },
] as const;

/** Keys that programs send: made and shown once, rotated, revoked. */
export function KeysSection() {
  const me = useMe();
  if (!useMay('admin') && me.data !== undefined) return <ForAdmins what="Keys" />;
  return <Keys />;
}

function Keys() {
  const keys = useKeys();
  const [made, setMade] = useState<AccessKeyMade | null>(null);
  const [isMaking, setMaking] = useState(false);
  const [isAll, setAll] = useState(false);
  const act = useSettingsChange(actOnKey);
  const [project] = useProject();
  const all = keys.data?.items.filter((item) => project === null || item.project === project) ?? [];
  const holding = all.filter(({ state }) => state === 'active' || state === 'expiring');
  const projects =
    useProjects()
      .data?.items.filter(({ archived_at }) => archived_at === null)
      .map(({ name }) => name) ?? [];
  const items = isAll ? all : holding;
  const replaced = new Set(keys.data?.items.map(({ replaces }) => replaces));
  const run = (id: string, what: KeyAct) => act.mutate({ id, what }, { onSuccess: (next) => next !== null && setMade(next) });
  return (
    <section aria-label="Keys">
      <QueryFailure what="The list of keys" query={keys} />
      <SectionHead
        title={keys.data === undefined ? 'Keys' : countOf(holding.length, 'key')}
        sub="for programs; those of the configuration file are not listed"
        acts={
          <>
            <ProjectSelect />
            {all.length > holding.length && (
              <Button look="ghost" aria-pressed={isAll} onClick={() => setAll(!isAll)}>
                {isAll ? 'Hide those that are over' : `${all.length - holding.length} over`}
              </Button>
            )}
            {!isMaking && <Button onClick={() => setMaking(true)}>New key</Button>}
          </>
        }
      />
      {made !== null && (
        <ShownOnce secret={made.key} onDone={() => setMade(null)}>
          The key <b>{made.label}</b>, shown this once:
        </ShownOnce>
      )}
      {isMaking && projects.length > 0 && (
        <KeyForm
          projects={projects}
          defaultProject={projects.find((name) => name === project) ?? projects[0] ?? ''}
          onDone={(key) => {
            setMaking(false);
            setMade(key);
          }}
        />
      )}
      <ChangeFailure what="That was not done:" cause={act.error} />
      {keys.data === undefined && keys.isPending && <Bone height={120} />}
      {keys.data !== undefined && items.length === 0 && !isMaking && (
        <Empty
          title={project === null ? 'No key holds' : 'No key of this project holds'}
          acts={
            <Button look="primary" onClick={() => setMaking(true)}>
              New key
            </Button>
          }
        >
          Servers that send telemetry need one with the scope <code>ingest</code> where people are asked to sign in.
        </Empty>
      )}
      {items.length > 0 && (
        <SettingsTable label="Keys" heads={HEADS}>
          {items.map((item) => (
            <KeyRow
              key={item.id}
              item={item}
              isReplaced={replaced.has(item.id)}
              isBusy={act.isPending}
              onAct={(what) => run(item.id, what)}
            />
          ))}
        </SettingsTable>
      )}
    </section>
  );
}

/** Does it; answers with the key that came of it, if any. */
async function actOnKey({ id, what }: { readonly id: string; readonly what: KeyAct }): Promise<AccessKeyMade | null> {
  const path = `/api/v1/keys/${encodeURIComponent(id)}`;
  if (what.does === 'rotate') {
    const { overlapS, expiresInS } = what;
    return postJson<AccessKeyMade>(`${path}/rotate`, {
      overlap_s: overlapS,
      ...(expiresInS === undefined ? {} : { expires_in_s: expiresInS }),
    });
  }
  await changeJson('DELETE', path);
  return null;
}
