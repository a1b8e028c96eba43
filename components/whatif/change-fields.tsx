'use client';

import { useId, useMemo } from 'react';
import { formatCount } from '@/components/format/count';
import { bytesText } from '@/components/whatif/bytes-text';
import { type ChangeDraft, geometricStops, nearestStop } from '@/components/whatif/change-draft';
import css from '@/components/whatif/whatif.module.css';
import { FLOOR_RULES } from '@/lib/wire/schema';

interface ChangeFieldsProps {
  readonly draft: ChangeDraft;
  readonly onChange: (draft: ChangeDraft) => void;
  /** The most events, bytes and seconds worth trying; bytes are null where no event's size is known. */
  readonly eventsMax: number;
  readonly bytesMax: number | null;
  readonly secondsMax: number;
  /** Whether instants are known, so that time can be changed. */
  readonly hasClock: boolean;
}

/** What could have been otherwise; a slider at its left end leaves things as they were. */
export function ChangeFields({ draft, onChange, eventsMax, bytesMax, secondsMax, hasClock }: ChangeFieldsProps) {
  return (
    <div className={css['fields']}>
      <StopSlider
        name="Events kept"
        wordsOf={formatCount}
        most={eventsMax}
        value={draft.events}
        onValue={(events) => onChange({ ...draft, events })}
      />
      {bytesMax !== null && (
        <StopSlider
          name="Bytes kept"
          wordsOf={bytesText}
          most={bytesMax}
          value={draft.bytes}
          onValue={(bytes) => onChange({ ...draft, bytes })}
        />
      )}
      {hasClock && (
        <>
          <StopSlider
            name="Kept for"
            wordsOf={secondsText}
            most={secondsMax}
            value={draft.ttlS}
            onValue={(ttlS) => onChange({ ...draft, ttlS })}
          />
          <StopSlider
            name="Reconnect after"
            wordsOf={secondsText}
            most={secondsMax}
            value={draft.reconnectS}
            onValue={(reconnectS) => onChange({ ...draft, reconnectS })}
          />
        </>
      )}
      <Segments
        name="Floor rule"
        options={FLOOR_RULES.map((rule) => ({ value: rule, words: rule }))}
        value={draft.floor}
        onValue={(floor) => onChange({ ...draft, floor })}
      />
      <Segments
        name="Generation"
        options={[
          { value: true, words: 'checked' },
          { value: false, words: 'ignored' },
        ]}
        value={draft.generationCheck}
        onValue={(generationCheck) => onChange({ ...draft, generationCheck })}
      />
    </div>
  );
}

const secondsText = (seconds: number): string => `${formatCount(seconds)} s`;

interface StopSliderProps {
  readonly name: string;
  readonly wordsOf: (value: number) => string;
  readonly most: number;
  readonly value: number | null;
  readonly onValue: (value: number | null) => void;
}

function StopSlider({ name, wordsOf, most, value, onValue }: StopSliderProps) {
  const id = useId();
  const stops = useMemo(() => geometricStops(most), [most]);
  const place = value === null ? 0 : nearestStop(stops, value) + 1;
  const words = value === null ? 'as it was' : wordsOf(value);
  return (
    <div className={css['slider']}>
      <label htmlFor={id}>{name}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={stops.length}
        value={place}
        aria-valuetext={words}
        onChange={(event) => {
          const chosen = Number(event.target.value);
          onValue(chosen === 0 ? null : (stops[chosen - 1] ?? null));
        }}
      />
      <output htmlFor={id}>{words}</output>
    </div>
  );
}

interface SegmentsProps<T extends string | boolean> {
  readonly name: string;
  readonly options: readonly { readonly value: T; readonly words: string }[];
  readonly value: T | null;
  readonly onValue: (value: T | null) => void;
}

function Segments<T extends string | boolean>({ name, options, value, onValue }: SegmentsProps<T>) {
  return (
    <fieldset className={css['segments']}>
      <legend>{name}</legend>
      <span>
        <button type="button" aria-pressed={value === null} onClick={() => onValue(null)}>
          as it was
        </button>
        {options.map((option) => (
          <button key={option.words} type="button" aria-pressed={value === option.value} onClick={() => onValue(option.value)}>
            {option.words}
          </button>
        ))}
      </span>
    </fieldset>
  );
}
