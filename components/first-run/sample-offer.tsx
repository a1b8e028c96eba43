'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ChangeButton } from '@/components/access/change-button';
import { ApiFailure } from '@/components/api/api-failure';
import { postJson } from '@/components/api/get-json';
import css from '@/components/first-run/first-run.module.css';
import { LIVE_KEY } from '@/components/live/live-provider';
import { newId } from '@/components/samples/new-id';
import type { Sample } from '@/components/samples/sample';
import type { IntakeAnswer } from '@/lib/wire/responses';

/** How long before now a sample begins: it is over when it is shown, and inside every range. */
const BEGINS_BEFORE_MS = 4 * 60_000;

/** One sample incident with its story; sends it as telemetry, the way any server would. */
export function SampleOffer({ sample }: { readonly sample: Sample }) {
  const client = useQueryClient();
  const send = useMutation({
    mutationFn: () => postJson<IntakeAnswer>('/api/v1/telemetry', recordsOf(sample)),
    onSuccess: () => client.invalidateQueries({ queryKey: [LIVE_KEY] }),
  });
  return (
    <div className={css['sample']}>
      <h3>{sample.title}</h3>
      <p>{sample.story}</p>
      <ChangeButton scope="admin" onClick={() => send.mutate()} disabled={send.isPending || send.isSuccess}>
        {send.isPending ? 'Sending' : send.isSuccess ? `Sent, ${send.data.accepted} records` : `Load as ${sample.server}`}
      </ChangeButton>
      {send.isError && (
        <p role="alert">
          {send.error instanceof ApiFailure ? `${send.error.message} ${send.error.nextStep ?? ''}` : 'The records could not be sent.'}
        </p>
      )}
    </div>
  );
}

function recordsOf(sample: Sample) {
  return sample.records(Date.now() - BEGINS_BEFORE_MS, `${sample.server}-${newId()}`, newId);
}
