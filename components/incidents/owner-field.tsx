'use client';

import { useState } from 'react';
import { useDenial } from '@/components/access/use-denial';
import { ChangeFailure } from '@/components/alerts/change-failure';
import { changeJson } from '@/components/api/get-json';
import { useIncidentChange } from '@/components/api/use-incidents';
import css from '@/components/incidents/incident-page.module.css';
import type { IncidentDetail } from '@/lib/incidents/answer-schema';

/** Who has the incident; a press turns the name into a field. */
export function OwnerField({ incident }: { readonly incident: IncidentDetail }) {
  const [draft, setDraft] = useState<string | null>(null);
  const denial = useDenial();
  const change = useIncidentChange((owner: string | null) =>
    changeJson<IncidentDetail>('PATCH', `/api/v1/incidents/${incident.id}`, { owner }),
  );
  const save = () => {
    const owner = draft?.trim() ?? '';
    setDraft(null);
    if (owner !== (incident.owner ?? '')) change.mutate(owner === '' ? null : owner);
  };
  if (draft === null)
    return (
      <>
        <button
          type="button"
          className={css['owner']}
          disabled={denial !== null}
          title={denial ?? undefined}
          aria-label={`Owner: ${incident.owner ?? 'nobody'}`}
          onClick={() => setDraft(incident.owner ?? '')}
        >
          {incident.owner ?? 'nobody'}
        </button>
        <ChangeFailure what="The owner was not changed." cause={change.error} />
      </>
    );
  return (
    <input
      className={css['ownerInput']}
      aria-label="Owner"
      value={draft}
      maxLength={200}
      ref={(input) => input?.focus()}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === 'Enter') save();
        if (event.key === 'Escape') setDraft(null);
      }}
    />
  );
}
