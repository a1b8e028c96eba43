'use client';

import { useEffect, useMemo, useState } from 'react';
import type { AttemptCase } from '@/lib/whatif/attempt-case';
import type { Change } from '@/lib/whatif/change';
import { type WhatIfAnswer, whatIfSlices } from '@/lib/whatif/what-if';

/** Attempts decided between two looks at whether the reader wants something else. */
const SLICE = 2_000;
const ITEMS_MAX = 200;

export type WhatIfState = { readonly kind: 'working'; readonly done: number } | { readonly kind: 'done'; readonly answer: WhatIfAnswer };

/** Decides recorded attempts again under a change, in slices, so that the page answers meanwhile; a newer change stops it. */
export function useWhatIf(cases: readonly AttemptCase[], change: Change): WhatIfState {
  const wanted = useMemo(() => ({ cases, change }), [cases, change]);
  const [made, setMade] = useState<{ readonly of: typeof wanted; readonly answer: WhatIfAnswer } | null>(null);
  const [done, setDone] = useState(0);
  useEffect(() => {
    const slices = whatIfSlices(wanted.cases, wanted.change, { slice: SLICE, itemsMax: ITEMS_MAX });
    let timer = setTimeout(function work() {
      const step = slices.next();
      if (step.done === true) {
        setMade({ of: wanted, answer: step.value });
        return;
      }
      setDone(step.value.done);
      timer = setTimeout(work);
    });
    return () => {
      clearTimeout(timer);
    };
  }, [wanted]);
  // The answer to the change before stays until the next one is there: a slider must not make the page blink.
  return made === null || made.of.cases !== cases ? { kind: 'working', done } : { kind: 'done', answer: made.answer };
}
