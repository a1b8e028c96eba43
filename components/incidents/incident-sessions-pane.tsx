'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { ChangeFailure } from '@/components/alerts/change-failure';
import { changeJson } from '@/components/api/get-json';
import { useIncidentChange, useIncidents } from '@/components/api/use-incidents';
import { useMay } from '@/components/api/use-me';
import { countOf, formatCount } from '@/components/format/count';
import { shortText } from '@/components/format/short-text';
import css from '@/components/incidents/incident-page.module.css';
import { incidentName } from '@/components/incidents/incident-words';
import { SightLink } from '@/components/sight/sight-link';
import { useWithSight } from '@/components/sight/use-with-sight';
import { Button } from '@/components/ui/button';
import { TextLink } from '@/components/ui/text-link';
import type { IncidentDetail } from '@/lib/incidents/answer-schema';

const SHOWN_MAX = 24;

/** The sessions of an incident, and what can be done with them: split some off, merge all into another incident. */
export function IncidentSessionsPane({ incident }: { readonly incident: IncidentDetail }) {
  const router = useRouter();
  const withSight = useWithSight();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const split = useIncidentChange(
    (sessions: readonly string[]) => changeJson<IncidentDetail>('POST', `/api/v1/incidents/${incident.id}/split`, { sessions }),
    ({ id }) => router.push(withSight(`/incidents/${id}`)),
  );
  const toggle = (ref: string) => setChosen((now) => (now.includes(ref) ? now.filter((one) => one !== ref) : [...now, ref]));
  const canRegroup = useMay('operate') && incident.origin === 'detected' && incident.merged_into === null;
  const shown = incident.sessions.slice(0, SHOWN_MAX);
  return (
    <section aria-label="Sessions of this incident">
      <h2>
        Sessions <span className={css['faint']}>{formatCount(incident.sessions_count)}</span>
      </h2>
      {incident.links.map(({ title, url }) => (
        <p key={url}>
          <a className={css['link']} href={url} rel="noreferrer" target="_blank">
            {title}
          </a>
        </p>
      ))}
      <ul className={css['sessions']}>
        {shown.map((ref) => (
          <li key={ref}>
            {canRegroup && incident.sessions.length > 1 && (
              <input
                type="checkbox"
                aria-label={`Choose session ${shortText(ref, 9)}`}
                checked={chosen.includes(ref)}
                onChange={() => toggle(ref)}
              />
            )}
            <SightLink href={`/sessions/${ref}`}>
              <code>{shortText(ref, 13)}</code>
            </SightLink>
          </li>
        ))}
      </ul>
      {incident.sessions.length > SHOWN_MAX && <p className={css['faint']}>and {formatCount(incident.sessions.length - SHOWN_MAX)} more</p>}
      {incident.sessions.length > 1 && (
        <p>
          <TextLink href={`/compare?left=${incident.sessions[0]}&right=${incident.sessions[1]}`}>Compare two of them</TextLink>
        </p>
      )}
      {chosen.length > 0 && (
        <Button disabled={split.isPending || chosen.length === incident.sessions.length} onClick={() => split.mutate(chosen)}>
          Split off {countOf(chosen.length, 'session')}
        </Button>
      )}
      {canRegroup && <MergeInto incident={incident} />}
      <ChangeFailure what="The sessions were not split off." cause={split.error} />
    </section>
  );
}

function MergeInto({ incident }: { readonly incident: IncidentDetail }) {
  const router = useRouter();
  const withSight = useWithSight();
  const others = useIncidents({ project: null, state: null, severity: null, server: incident.server });
  const merge = useIncidentChange(
    (into: string) => changeJson<IncidentDetail>('POST', `/api/v1/incidents/${incident.id}/merge`, { into }),
    ({ id }) => router.push(withSight(`/incidents/${id}`)),
  );
  const choices = others.data?.pages.flatMap(({ items }) => items).filter((one) => isMergeable(one, incident)) ?? [];
  if (choices.length === 0) return null;
  return (
    <div className={css['merge']}>
      <label>
        <span>Merge into</span>
        <select value="" disabled={merge.isPending} onChange={(event) => merge.mutate(event.target.value)}>
          <option value="">another incident of {incident.server}</option>
          {choices.map((one) => (
            <option key={one.id} value={one.id}>
              {incidentName(one.id)}, {one.title}
            </option>
          ))}
        </select>
      </label>
      <ChangeFailure what="The incidents were not merged." cause={merge.error} />
    </div>
  );
}

const isMergeable = (one: { id: string; origin: string; merged_into: string | null }, incident: IncidentDetail): boolean =>
  one.id !== incident.id && one.origin === 'detected' && one.merged_into === null;
