'use client';

import { useEffect, useState } from 'react';

const SHOWN_MS = 1_600;

/** Copies text, and says for a moment whether that worked. */
export function useCopied(): readonly ['idle' | 'copied' | 'failed', (text: string) => void] {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = (text: string) => {
    // Absent where the page was not read over https or from loopback.
    const clipboard: Clipboard | undefined = navigator.clipboard;
    if (clipboard === undefined) return setState('failed');
    clipboard.writeText(text).then(
      () => setState('copied'),
      () => setState('failed'),
    );
  };
  return [state, copy];
}
