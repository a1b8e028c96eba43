'use client';

import { parseAsArrayOf, parseAsInteger, parseAsString, useQueryStates } from 'nuqs';
import { useEffect, useRef, useState } from 'react';
import { atRecord, type DebuggerState, DebuggerStore } from '@/components/debugger/debugger-store';
import { type History, spanOfPart } from '@/components/debugger/model/history';
import { fitting, readView, viewText } from '@/components/debugger/model/viewport';

/** The URL is written once the reader rests, not sixty times a second. */
const REST_MS = 250;

const PARSERS = {
  session: parseAsString,
  stream: parseAsString,
  /** The record under the playhead, counted from 1 as the list does. */
  step: parseAsInteger,
  attempt: parseAsString,
  view: parseAsString,
  marks: parseAsArrayOf(parseAsInteger),
  pins: parseAsArrayOf(parseAsInteger),
  filter: parseAsString,
};

/**
 * The state of the debugger, begun from the URL and kept in it: a copied link opens exactly what was seen. `first`
 * is the record to stand on where the URL names none.
 */
export function useDebuggerUrl(history: History, first: number): DebuggerStore {
  const [query, setQuery] = useQueryStates(PARSERS, { history: 'replace' });
  const [store] = useState(() => new DebuggerStore(stateOf(history, first, query)));
  const written = useRef(textOf(history, store.state));

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const write = () => {
      const text = textOf(history, store.state);
      if (text === written.current) return;
      written.current = text;
      void setQuery({ ...urlOf(history, store.state), attempt: null });
    };
    const stop = store.subscribe(() => {
      clearTimeout(timer);
      timer = setTimeout(write, REST_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [history, store, setQuery]);
  return store;
}

type Query = { readonly [K in keyof typeof PARSERS]: ReturnType<(typeof PARSERS)[K]['parseServerSide']> };

function stateOf(history: History, first: number, query: Query): DebuggerState {
  const { records, xs, sessions } = history;
  const named = query.attempt === null ? -1 : records.findIndex(({ id }) => id === query.attempt);
  const asked = query.step === null ? named : query.step - 1;
  const index = asked >= 0 && asked < records.length ? asked : first;
  const isKnown = (place: number): boolean => place >= 0 && place < records.length;
  const wanted = sessions.findIndex(({ key }) => key === query.session);
  const session = wanted >= 0 ? wanted : sessions.findIndex(({ indices }) => indices.includes(index));
  const part = sessions[Math.max(0, session)];
  // Of many sessions on one clock, the one that is looked at fills the screen; the minimap shows them all.
  const isOneOfMany = query.view === null && sessions.length > 1 && part !== undefined;
  return {
    session: Math.max(0, session),
    stream: query.stream,
    ...atRecord(index, xs),
    view: isOneOfMany ? fitting(spanOfPart(history, part), history) : readView(query.view, history),
    isPlaying: false,
    isScrubbing: false,
    speed: 1,
    marks: (query.marks ?? []).map((mark) => mark - 1).filter(isKnown),
    pins: (query.pins ?? []).map((pin) => pin - 1).filter(isKnown),
    hovered: null,
    isTable: false,
    below: 'state',
    filter: query.filter ?? '',
  };
}

function urlOf(history: History, state: DebuggerState) {
  const list = (places: readonly number[]): number[] | null => (places.length === 0 ? null : places.map((place) => place + 1));
  return {
    session: history.sessions.length > 1 ? (history.sessions[state.session]?.key ?? null) : null,
    stream: state.stream,
    step: state.index + 1,
    view: viewText(state.view, history),
    marks: list(state.marks),
    pins: list(state.pins),
    filter: state.filter === '' ? null : state.filter,
  };
}

const textOf = (history: History, state: DebuggerState): string => JSON.stringify(urlOf(history, state));
