'use client';

import { ChangeButton } from '@/components/access/change-button';
import { changeJson } from '@/components/api/get-json';
import { useIncidentChange } from '@/components/api/use-incidents';
import css from '@/components/incidents/incident-page.module.css';
import { ReplayIncident } from '@/components/incidents/replay-incident';
import { ShareDialog } from '@/components/incidents/share-dialog';
import { useToast } from '@/components/toast/toasts';
import { buttonClass } from '@/components/ui/button';
import { cx } from '@/components/ui/cx';
import { Icon } from '@/components/ui/icon';
import type { IncidentDetail } from '@/lib/incidents/answer-schema';

/** What can be done with the incident as a whole: settle it, take it away. */
export function IncidentActs({ incident }: { readonly incident: IncidentDetail }) {
  const show = useToast();
  const isOver = incident.state === 'resolved';
  const settle = useIncidentChange((verb: 'resolve' | 'reopen') =>
    changeJson<IncidentDetail>('POST', `/api/v1/incidents/${incident.id}/${verb}`),
  );
  const onSettle = () =>
    settle.mutate(isOver ? 'reopen' : 'resolve', {
      onSuccess: () => show({ key: 'settle', words: isOver ? 'The incident is open again.' : 'Resolved. New evidence opens it again.' }),
      onError: (cause) => show({ key: 'settle', words: cause.message, tone: 'failure' }),
    });
  const path = `/api/v1/incidents/${incident.id}`;
  return (
    <>
      {incident.merged_into === null && (
        <ChangeButton onClick={onSettle} disabled={settle.isPending}>
          {isOver ? 'Reopen' : 'Resolve'}
        </ChangeButton>
      )}
      <ShareDialog incident={incident.id} />
      <ReplayIncident id={incident.id} />
      <a className={cx(buttonClass({}), css['roomy'])} href={`${path}/report`} target="_blank" rel="noreferrer">
        Report
      </a>
      <a
        className={cx(buttonClass({}), css['roomy'])}
        href={`${path}/test`}
        download
        title="A Vitest file that fails until the fault is fixed"
      >
        Test
      </a>
      <a className={cx(buttonClass({}), css['roomy'])} href={`${path}/bundle`} download>
        <Icon name="export" size={13} />
        Bundle
      </a>
    </>
  );
}
