'use client';

import { useEffect, useId, useRef, useState } from 'react';
import css from '@/components/query/query-field.module.css';
import { type ParsedQuery, parseQuery, type QueryLanguage, type QueryProblem, writeQuery } from '@/components/query/query-language';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';
import { isTyping } from '@/components/ui/is-typing';

interface QueryFieldProps {
  readonly language: QueryLanguage;
  readonly query: ParsedQuery;
  readonly onQuery: (query: ParsedQuery) => void;
  readonly placeholder: string;
  /** How many rows match, in words; null while that is not known. */
  readonly count: string | null;
  /** Opens the facets where the screen hides them; null where there are none. */
  readonly onFacets: (() => void) | null;
}

const NOTHING: ParsedQuery = { values: new Map(), excluded: new Map(), counts: new Map(), text: null };

/** The filter of a list as one types it; what cannot be read is marked where it stands. `/` leads here. */
export function QueryField({ language, query, onQuery, placeholder, count, onFacets }: QueryFieldProps) {
  const text = writeQuery(query, language);
  return (
    <div className={css['bar']}>
      {onFacets !== null && (
        <span className={css['facetsButton']}>
          <Button onClick={onFacets}>
            <Icon name="filter" size={12} />
            Filter
          </Button>
        </span>
      )}
      <Field key={text} text={text} language={language} onQuery={onQuery} placeholder={placeholder} count={count} />
      {text !== '' && <Button onClick={() => onQuery(NOTHING)}>Clear</Button>}
    </div>
  );
}

interface FieldProps extends Pick<QueryFieldProps, 'language' | 'onQuery' | 'placeholder' | 'count'> {
  readonly text: string;
}

function Field({ text, language, onQuery, placeholder, count }: FieldProps) {
  const [typed, setTyped] = useState(text);
  const [problem, setProblem] = useState<QueryProblem | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const problemId = useId();
  useFocusKey(field);
  const submit = () => {
    if (typed.trim() === text) return setProblem(null);
    const parsed = parseQuery(typed, language);
    if (parsed.ok) {
      setProblem(null);
      onQuery(parsed.value);
      return;
    }
    setProblem(parsed.error);
  };
  return (
    <search className={css['query']} data-wrong={problem !== null}>
      <Icon name="search" size={12} />
      <input
        ref={field}
        type="search"
        value={typed}
        placeholder={placeholder}
        aria-label="Filter"
        aria-invalid={problem !== null}
        aria-describedby={problem === null ? undefined : problemId}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => {
          setTyped(event.target.value);
          setProblem(null);
        }}
        onBlur={submit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') submit();
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      {count !== null && <span className={css['count']}>{count}</span>}
      <kbd className={css['keys']}>/</kbd>
      {problem !== null && <Problem id={problemId} typed={typed} problem={problem} />}
    </search>
  );
}

/** The words again with the place that cannot be read marked, and what would be read there. */
function Problem({ id, typed, problem }: { readonly id: string; readonly typed: string; readonly problem: QueryProblem }) {
  const { from, to, message } = problem;
  return (
    <div className={css['problem']} id={id} role="alert">
      <code>
        {typed.slice(0, from)}
        <mark>{typed.slice(from, to) === '' ? '\u00a0' : typed.slice(from, to)}</mark>
        {typed.slice(to)}
      </code>
      <span>{message}</span>
    </div>
  );
}

function useFocusKey(field: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || isTyping(event)) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [field]);
}
