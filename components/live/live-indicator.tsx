'use client';

import css from '@/components/live/live-indicator.module.css';
import { type Live, useLive } from '@/components/live/live-provider';
import { Button } from '@/components/ui/button';
import { cx } from '@/components/ui/cx';
import { Icon } from '@/components/ui/icon';

const WORDS: Readonly<Record<Live['state'], { readonly short: string; readonly long: string; readonly title: string }>> = {
  open: { short: 'Live', long: '', title: 'What is stored is shown within a second.' },
  connecting: {
    short: 'Polling',
    long: ', every 10 s',
    title: 'No live connection stands. The page asks every 10 s and keeps trying to connect.',
  },
  paused: { short: 'Paused', long: '', title: 'Nothing is refreshed until you go on.' },
};

/** Whether the page follows what is stored, and the control that stops it. */
export function LiveIndicator() {
  const { state, isPaused, setPaused } = useLive();
  const words = WORDS[state];
  const label = isPaused ? 'Go on' : 'Pause';
  return (
    <>
      <span className={css['live']} role="status" title={words.title} data-live={state}>
        <i className={cx(css['dot'], state !== 'open' && css['off'])} />
        <span>
          {words.short}
          <span className={css['long']}>{words.long}</span>
        </span>
      </span>
      <Button square aria-label={label} title={label} aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
        <Icon name={isPaused ? 'play' : 'pause'} size={12} />
      </Button>
    </>
  );
}
