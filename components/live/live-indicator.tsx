'use client';

import { useQueryClient } from '@tanstack/react-query';
import { usePathname } from 'next/navigation';
import { timeOfDay } from '@/components/format/instant';
import { useNow } from '@/components/format/use-now';
import { oldDataAt } from '@/components/live/data-age';
import css from '@/components/live/live-indicator.module.css';
import { LIVE_KEY, type Live, useLive } from '@/components/live/live-provider';
import { looksAtTime } from '@/components/shell/places';
import { isPast, liveRange } from '@/components/time-range/time-range';
import { useTimeRange } from '@/components/time-range/use-time-range';
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

/** Whether the page follows what is stored, and the control that stops it, or leads back from a range that is over. */
export function LiveIndicator() {
  const [range, setRange] = useTimeRange();
  const looksAtRange = looksAtTime(usePathname());
  const isOver = isPast(range, useNow());
  return looksAtRange && isOver ? <FixedRange onBack={() => setRange(liveRange(range))} /> : <Following />;
}

function FixedRange({ onBack }: { readonly onBack: () => void }) {
  return (
    <>
      <span
        className={css['live']}
        role="status"
        title="Both ends of the range are fixed: nothing that happens now falls into it."
        data-live="fixed"
      >
        <i className={cx(css['dot'], css['off'])} />
        <span>
          Fixed<span className={css['long']}> range</span>
        </span>
      </span>
      <Button aria-label="Back to live" title="Back to live" onClick={onBack}>
        <Icon name="play" size={12} />
        <span className={css['long']}>Back to live</span>
      </Button>
    </>
  );
}

function Following() {
  const { state, isPaused, setPaused } = useLive();
  const client = useQueryClient();
  const shown = client.getQueryCache().findAll({ queryKey: [LIVE_KEY], type: 'active' });
  const oldAt = oldDataAt(
    shown.map((query) => query.state.dataUpdatedAt),
    useNow(),
  );
  const words = WORDS[state];
  const label = isPaused ? 'Go on' : 'Pause';
  return (
    <>
      <span className={css['live']} role="status" title={words.title} data-live={state}>
        <i className={cx(css['dot'], state !== 'open' && css['off'])} />
        <span>
          {words.short}
          <span className={css['long']}>{words.long}</span>
          {oldAt !== null && `, data of ${timeOfDay(oldAt, 'min')}`}
        </span>
      </span>
      <Button square aria-label={label} title={label} aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
        <Icon name={isPaused ? 'play' : 'pause'} size={12} />
      </Button>
    </>
  );
}
