'use client';

import { Popover } from 'radix-ui';
import { type FormEvent, useState } from 'react';
import { dayOf, spanWords, timeOfDay } from '@/components/format/instant';
import { useNow } from '@/components/format/use-now';
import { zoneName } from '@/components/format/zone';
import { useZone } from '@/components/format/zone-boundary';
import css from '@/components/time-range/range-picker.module.css';
import { absoluteRange, isWholeHours, PRESETS, presetWords, spanOf, type TimeRange } from '@/components/time-range/time-range';
import { parseTypedInstant, typedInstant } from '@/components/time-range/typed-instant';
import { useShiftKeys } from '@/components/time-range/use-shift-keys';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';

/** What time the page looks at: a preset up to now, or two instants typed in UTC. */
export function RangePicker() {
  const [range, setRange] = useTimeRange();
  const [isOpen, setOpen] = useState(false);
  const now = useNow();
  useShiftKeys(range, setRange);
  const choose = (next: TimeRange) => {
    setRange(next);
    setOpen(false);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button aria-label={`Time range: ${rangeWords(range, now)}`}>
          <Icon name="clock" size={12} />
          {rangeTitle(range, now)} <span className={css['when']}>{endsWords(range, now)}</span>
          <Icon name="down" size={12} />
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className={css['panel']} align="end" sideOffset={6} aria-label="Time range">
          <div className={css['presets']}>
            {PRESETS.map((preset) => (
              <button
                key={preset}
                type="button"
                className={css['preset']}
                aria-pressed={range.kind === 'relative' && range.preset === preset}
                onClick={() => choose({ kind: 'relative', preset })}
              >
                {presetWords(preset)}
              </button>
            ))}
          </div>
          <TypedRange range={range} nowMs={now} onRange={choose} />
          <ZoneSwitch />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** In which zone times are shown, here and everywhere. */
function ZoneSwitch() {
  const [zone, setZone] = useZone();
  return (
    <div className={css['zone']}>
      <button type="button" className={css['preset']} aria-pressed={zone === 'utc'} onClick={() => setZone('utc')}>
        Times in UTC
      </button>
      <button type="button" className={css['preset']} aria-pressed={zone === 'local'} onClick={() => setZone('local')}>
        Times of this place
      </button>
    </div>
  );
}

interface TypedRangeProps {
  readonly range: TimeRange;
  readonly nowMs: number;
  readonly onRange: (range: TimeRange) => void;
}

function TypedRange({ range, nowMs, onRange }: TypedRangeProps) {
  const [span] = useState(() => spanOf(range, nowMs));
  const [from, setFrom] = useState(typedInstant(span.fromMs));
  const [to, setTo] = useState(typedInstant(span.toMs));
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const [fromMs, toMs] = [parseTypedInstant(from, nowMs), parseTypedInstant(to, nowMs)];
    if (fromMs === null || toMs === null) return setProblem(`“${fromMs === null ? from : to}” is not a time`);
    const next = absoluteRange(fromMs, toMs);
    if (next === null) return setProblem('The start must lie before the end');
    onRange(next);
  };
  return (
    <form className={css['typed']} onSubmit={submit}>
      <label htmlFor="range-from">From</label>
      <input id="range-from" value={from} spellCheck={false} autoComplete="off" onChange={(event) => setFrom(event.target.value)} />
      <label htmlFor="range-to">To</label>
      <input id="range-to" value={to} spellCheck={false} autoComplete="off" onChange={(event) => setTo(event.target.value)} />
      <div className={css['foot']}>
        <span role="alert" className={problem === null ? undefined : css['wrong']}>
          {problem ?? `${zoneName()}; a day, a time or both`}
        </span>
        <Button type="submit">Apply</Button>
      </div>
    </form>
  );
}

/** A range that begins with a whole hour says how long it is, not what it is called. */
function rangeTitle(range: TimeRange, nowMs: number): string {
  if (range.kind === 'absolute') return dayOf(range.fromMs, nowMs);
  const { fromMs, toMs } = spanOf(range, nowMs);
  return isWholeHours(range.preset) && nowMs > 0 ? `Last ${spanWords(toMs - fromMs)}` : presetWords(range.preset);
}

function endsWords(range: TimeRange, nowMs: number): string {
  if (nowMs === 0 && range.kind === 'relative') return '';
  const { fromMs, toMs } = spanOf(range, nowMs);
  const from = range.kind === 'relative' && toMs - fromMs >= 86_400_000 ? `${dayOf(fromMs, nowMs)} ` : '';
  const to = dayOf(fromMs, nowMs) === dayOf(toMs, nowMs) || range.kind === 'relative' ? '' : `${dayOf(toMs, nowMs)} `;
  return `${from}${timeOfDay(fromMs, 'min')} to ${to}${timeOfDay(toMs, 'min')} ${zoneName(toMs)}`;
}

function rangeWords(range: TimeRange, nowMs: number): string {
  return `${rangeTitle(range, nowMs)} ${endsWords(range, nowMs)}`;
}
