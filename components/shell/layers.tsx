'use client';

import dynamic from 'next/dynamic';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { isInLayer } from '@/components/ui/is-in-layer';
import { isTyping } from '@/components/ui/is-typing';

type Layer = 'palette' | 'shortcuts';

const LayerContext = createContext<(layer: Layer) => void>(() => {});

// Read when first opened: most visits need neither.
const Palette = dynamic(() => import('@/components/palette/palette').then((module) => module.Palette), { ssr: false });
const Shortcuts = dynamic(() => import('@/components/palette/shortcuts').then((module) => module.Shortcuts), { ssr: false });

/** Opens what floats over every page: the palette, or the list of keys. */
export function useOpenLayer(): (layer: Layer) => void {
  return useContext(LayerContext);
}

/** Holds the palette (`Ctrl K`) and the list of keys (`?`). */
export function Layers({ children }: { readonly children: ReactNode }) {
  const [layer, setLayer] = useState<Layer | null>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const asked = layerOf(event);
      if (asked === null) return;
      event.preventDefault();
      setLayer((now) => (now === asked ? null : asked));
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const close = useCallback(() => setLayer(null), []);
  return (
    <LayerContext value={setLayer}>
      {children}
      {layer === 'palette' && <Palette onClose={close} />}
      {layer === 'shortcuts' && <Shortcuts onClose={close} />}
    </LayerContext>
  );
}

function layerOf(event: KeyboardEvent): Layer | null {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') return 'palette';
  return event.key === '?' && !isTyping(event) && !isInLayer(event) ? 'shortcuts' : null;
}
