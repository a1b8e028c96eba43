import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { PLACES } from '@/components/shell/places';
import { withSight } from '@/components/sight/sight';
import { isInLayer } from '@/components/ui/is-in-layer';
import { isTyping } from '@/components/ui/is-typing';

const CHORD_MS = 1_500;

/** `g`, then the letter of a place, goes there, looking at the same. Never while typing. */
export function useGoKeys(): void {
  const router = useRouter();
  useEffect(() => {
    let armedUntil = 0;
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || isInLayer(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'g') {
        armedUntil = event.timeStamp + CHORD_MS;
        return;
      }
      const place = event.timeStamp < armedUntil ? PLACES.find((one) => one.key === event.key) : undefined;
      armedUntil = 0;
      if (place === undefined) return;
      event.preventDefault();
      // What the address says now: what was drawn last may be a moment behind it.
      router.push(withSight(place.href, new URLSearchParams(location.search)));
    };
    // Before the keys of the page, which leave alone what was taken here.
    addEventListener('keydown', onKey, { capture: true });
    return () => removeEventListener('keydown', onKey, { capture: true });
  }, [router]);
}
