'use client';

import { useEffect, useState } from 'react';

/** A value once it has not changed for `ms`; compared by its JSON, so that an equal new object is no change. */
export function useDebounced<T>(value: T, ms: number): T {
  const text = JSON.stringify(value);
  const [settled, setSettled] = useState({ value, text });
  useEffect(() => {
    if (settled.text === text) return;
    const timer = setTimeout(() => setSettled({ value, text }), ms);
    return () => clearTimeout(timer);
  }, [text, settled.text, ms, value]);
  return settled.value;
}
