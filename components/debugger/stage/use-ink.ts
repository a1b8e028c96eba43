'use client';

import { useEffect, useState } from 'react';
import { type Ink, readInk } from '@/components/debugger/stage/ink';

/** The tokens of the theme in force, read again when it changes and when the fonts have come. Null before the first paint. */
export function useInk(): Ink | null {
  const [ink, setInk] = useState<Ink | null>(null);
  useEffect(() => {
    const root = document.documentElement;
    const read = () => setInk(readInk(root));
    read();
    const observer = new MutationObserver(read);
    observer.observe(root, { attributes: true, attributeFilter: ['class'] });
    let isGone = false;
    document.fonts.ready.then(() => {
      if (!isGone) read();
    });
    return () => {
      isGone = true;
      observer.disconnect();
    };
  }, []);
  return ink;
}
