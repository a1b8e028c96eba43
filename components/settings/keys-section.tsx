'use client';

import { useState } from 'react';
import { changeJson, postJson } from '@/components/api/get-json';
import { useMay, useMe } from '@/components/api/use-me';
import { countOf } from '@/components/format/count';
import { ChangeFailure } from '@/components/settings/change-failure';
import { ForAdmins } from '@/components/settings/for-admins';
import { KeyForm } from '@/components/settings/key-form';
import { type KeyAct, KeyRow } from '@/components/settings/key-row';
import css from '@/components/settings/settings.module.css';
import { ShownOnce } from '@/components/settings/shown-once';
import { useKeys, useSettingsChange } from '@/components/settings/use-settings';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { Button } from '@/components/ui/button';
import { Scroller } from '@/components/ui/scroller';
import { SectionHead } from '@/components/ui/section-head';
import type { AccessKeyMade } from '@/lib/wire/responses';

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
  const all = keys.data?.items ?? [];
  const holding = all.filter(({ state }) => state === 'active' || state === 'expiring');
  const items = isAll ? all : holding;
  const run = (id: string, what: KeyAct) => act.mutate({ id, what }, { onSuccess: (next) => next !== null && setMade(next) });
  return (
    <section aria-label="Keys">
      <QueryFailure what="The list of keys" query={keys} />
      <SectionHead
        title={keys.data === undefined ? 'Keys' : countOf(holding.length, 'key')}
        sub="for programs; those of the configuration file are not listed"
        acts={
          <>
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
      {isMaking && (
        <KeyForm
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
          title="No key holds"
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
        <Scroller label="Keys, table" className={css['scroll']}>
          <table className={css['table']}>
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">Scopes</th>
                <th scope="col" className={css['wide']}>
                  Made
                </th>
                <th scope="col">Last used</th>
                <th scope="col" className={css['wide']}>
                  State
                </th>
                <th scope="col" className={css['right']}>
                  Actions
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((item) => (
                <KeyRow key={item.id} item={item} isBusy={act.isPending} onAct={(what) => run(item.id, what)} />
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
    </section>
  );
}

/** Does it; answers with the key that came of it, if any. */
async function actOnKey({ id, what }: { readonly id: string; readonly what: KeyAct }): Promise<AccessKeyMade | null> {
  const path = `/api/v1/keys/${encodeURIComponent(id)}`;
  if (what.does === 'rotate') return postJson<AccessKeyMade>(`${path}/rotate`, { overlap_s: what.overlapS });
  await changeJson('DELETE', path);
  return null;
}
