'use client';

import { ChangeButton } from '@/components/access/change-button';
import css from '@/components/alerts/alerts.module.css';
import { ChangeFailure } from '@/components/alerts/change-failure';
import { useAlertingChange, useDelivery } from '@/components/alerts/use-alerting';
import { changeJson } from '@/components/api/get-json';
import { fullInstant } from '@/components/format/instant';
import { Bone } from '@/components/states/bone';
import { QueryFailure } from '@/components/states/query-failure';
import { CopyButton } from '@/components/ui/copy-button';
import { DataTable } from '@/components/ui/data-table';
import { Scroller } from '@/components/ui/scroller';

/** One message: every attempt with its answer, its body, and the way to send it again. */
export function DeliveryDetailView({ id }: { readonly id: string }) {
  const delivery = useDelivery(id);
  const resend = useAlertingChange(() => changeJson('POST', `/api/v1/alerts/deliveries/${encodeURIComponent(id)}/resend`));
  const data = delivery.data;
  if (data === undefined) return delivery.isPending ? <Bone height={80} /> : <QueryFailure what="The message" query={delivery} />;
  return (
    <div className={css['detail']}>
      <DataTable
        label="Attempts"
        heads={['Attempt', 'Outcome', 'Status', 'Latency', 'What came back']}
        rows={data.log.map(({ number, at, outcome, status, latency_ms, error, response_head }) => ({
          key: String(number),
          cells: [
            `${number}: ${fullInstant(Date.parse(at))}`,
            outcome,
            status === null ? 'none' : String(status),
            `${latency_ms} ms`,
            [error, response_head].filter((text) => text !== null && text !== '').join(': ') || 'nothing',
          ],
        }))}
        empty="It has not been sent yet."
      />
      <div className={css['acts']}>
        {data.state !== 'pending' && (
          <ChangeButton disabled={resend.isPending} onClick={() => resend.mutate(undefined)}>
            Send again
          </ChangeButton>
        )}
        <CopyButton label="Copy the body" text={data.body} />
        <span className={css['faint']}>
          id <code>{data.id}</code>
        </span>
      </div>
      <ChangeFailure what="It could not be sent again:" cause={resend.error} />
      <Scroller label="Body" className={css['bodyText']}>
        <pre>{pretty(data.body)}</pre>
      </Scroller>
    </div>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    // Every body of ours is JSON; one of a later version need not be.
    return body;
  }
}
