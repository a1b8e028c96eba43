'use client';

import { useLayoutEffect } from 'react';
import { flushSync } from 'react-dom';
import type { DebuggerStore } from '@/components/debugger/debugger-store';
import type { Deeds } from '@/components/debugger/deeds';
import { isTyping } from '@/components/ui/is-typing';

/** After `g` the next letter names a place of the product, not a deed here. */
const CHORD_MS = 1_500;
const ZOOM = 0.7;
const PAN = 0.2;

/**
 * The keys of the debugger. They never fire while typing; Space on a button that has the focus is left to it.
 */
export function useDebuggerKeys(deeds: Deeds, store: DebuggerStore, move: (by: 1 | -1) => void): void {
  useLayoutEffect(() => {
    const byKey = new Map<string, () => void>([
      [',', () => deeds.step(-1)],
      ['.', () => deeds.step(1)],
      ['j', () => move(1)],
      ['k', () => move(-1)],
      ['r', () => deeds.jump('refusals', 1)],
      ['R', () => deeds.jump('refusals', -1)],
      ['f', () => deeds.jump('findings', 1)],
      ['F', () => deeds.jump('findings', -1)],
      ['n', () => deeds.jump('generations', 1)],
      ['N', () => deeds.jump('generations', -1)],
      ['b', deeds.backToLoss],
      ['w', () => deeds.zoom(ZOOM)],
      ['s', () => deeds.zoom(1 / ZOOM)],
      ['a', () => deeds.pan(-PAN)],
      ['d', () => deeds.pan(PAN)],
      ['0', deeds.showAll],
      ['m', deeds.mark],
      ['p', deeds.pin],
      ['t', () => store.set({ isTable: !store.state.isTable })],
      ['/', () => focusFilter(store)],
      [' ', deeds.playOrPause],
    ]);
    let chordUntil = 0;
    const onKey = (event: KeyboardEvent) => {
      if (isAnothers(event)) return;
      const isChord = event.timeStamp < chordUntil;
      chordUntil = event.key === 'g' ? event.timeStamp + CHORD_MS : 0;
      const deed = isChord ? undefined : byKey.get(event.key);
      if (deed === undefined) return;
      event.preventDefault();
      deed();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [deeds, store, move]);
}

/** The list may stand behind the state: it comes to the front first. */
function focusFilter(store: DebuggerStore): void {
  flushSync(() => store.set({ below: 'list' }));
  document.getElementById('record-filter')?.focus();
}

function isAnothers(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event)) return true;
  return event.key === ' ' && event.target instanceof Element && event.target.closest('a, button, summary') !== null;
}
