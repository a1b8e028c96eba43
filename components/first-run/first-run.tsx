'use client';

import { useSyncExternalStore } from 'react';
import css from '@/components/first-run/first-run.module.css';
import { SampleOffer } from '@/components/first-run/sample-offer';
import { snippets } from '@/components/first-run/snippets';
import { useLive } from '@/components/live/live-provider';
import { SAMPLE_S01 } from '@/components/samples/s01';
import { SAMPLE_S02 } from '@/components/samples/s02';
import { CopyButton } from '@/components/ui/copy-button';

/** An install that has seen nothing yet: how to send the first event, and two incidents to look at meanwhile. */
export function FirstRun() {
  const origin = useOrigin();
  const { state } = useLive();
  return (
    <div className={css['page']}>
      <section className={css['send']} aria-label="Send the first event">
        <p className={css['lead']}>No record has arrived yet.</p>
        <p className={css['sub']}>Send the first one. This page opens by itself when it arrives.</p>
        {snippets(origin).map((snippet) => (
          <div key={snippet.id} className={css['snippet']}>
            <div className={css['snippetHead']}>
              <h2>{snippet.name}</h2>
              <CopyButton text={snippet.text} label="Copy" />
            </div>
            <pre className={css['code']}>{snippet.text}</pre>
          </div>
        ))}
        <p className={css['waiting']} role="status">
          <i />
          {state === 'open' ? 'Waiting for the first record' : 'Asking every 10 s whether a record has arrived'}
        </p>
      </section>
      <section className={css['samples']} aria-label="Sample incidents">
        <h2>Or look at an incident that happened</h2>
        <SampleOffer sample={SAMPLE_S02} />
        <SampleOffer sample={SAMPLE_S01} />
      </section>
    </div>
  );
}

const never = () => () => {};

function useOrigin(): string {
  return useSyncExternalStore(
    never,
    () => location.origin,
    () => 'http://127.0.0.1:4700',
  );
}
