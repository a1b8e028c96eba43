'use client';

import { useEffect, useRef, useState } from 'react';
import css from '@/components/attempts/attempts-page.module.css';
import { type AttemptFilters, hasFilters, NO_FILTERS, useAttemptFilters } from '@/components/attempts/use-attempt-filters';
import { countOf } from '@/components/format/count';
import { shortText } from '@/components/format/short-text';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';
import { isTyping } from '@/components/ui/is-typing';

interface QueryBarProps {
  readonly total: number | null;
  readonly onFacets: () => void;
}

/** Text to look for, and the filters that have no box among the facets. `/` leads here. */
export function QueryBar({ total, onFacets }: QueryBarProps) {
  const [filters, setFilters] = useAttemptFilters();
  return (
    <div className={css['bar']}>
      <span className={css['facetsButton']}>
        <Button onClick={onFacets}>
          <Icon name="filter" size={12} />
          Filter
        </Button>
      </span>
      <search className={css['query']}>
        <Tags filters={filters} onRemove={(name) => void setFilters({ [name]: null })} />
        <TextField key={filters.q ?? ''} text={filters.q ?? ''} onText={(text) => void setFilters({ q: text === '' ? null : text })} />
        {total !== null && <span className={css['count']}>{countOf(total, 'attempt')}</span>}
        <kbd className={css['keys']}>/</kbd>
      </search>
      {hasFilters(filters) && <Button onClick={() => void setFilters(NO_FILTERS)}>Clear</Button>}
    </div>
  );
}

function TextField({ text, onText }: { readonly text: string; readonly onText: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || isTyping(event)) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <input
      ref={field}
      type="search"
      value={typed}
      placeholder="text in a record: an event id, a generation, a node"
      aria-label="Text in a record"
      spellCheck={false}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={() => typed !== text && onText(typed.trim())}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onText(typed.trim());
        if (event.key === 'Escape') event.currentTarget.blur();
      }}
    />
  );
}

const TAGGED = ['session', 'client', 'protocol_version', 'assessment'] as const;

function Tags({ filters, onRemove }: { readonly filters: AttemptFilters; readonly onRemove: (name: (typeof TAGGED)[number]) => void }) {
  const set = TAGGED.filter((name) => filters[name] !== null && String(filters[name]) !== '');
  if (set.length === 0) return null;
  return (
    <span className={css['tags']}>
      {set.map((name) => (
        <button key={name} type="button" className={css['tag']} aria-label={`Remove the filter ${name}`} onClick={() => onRemove(name)}>
          {name}:{shortText(String(filters[name]), 16)}
          <Icon name="close" size={10} />
        </button>
      ))}
    </span>
  );
}
