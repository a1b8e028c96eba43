import type { ReactNode } from 'react';
import type { Mark } from '@/lib/resume/mark';

/** The shape of a mark inside a 12 × 12 box, in the current colour: the one drawing of each in the product. */
export function MarkShape({ mark }: { readonly mark: Mark }): ReactNode {
  switch (mark) {
    case 'unsafe_resume':
      return <path d="M6 .9 11.5 10.6H.5Z" fill="currentColor" />;
    case 'bad_replay':
      return (
        <>
          <path d="M6 .8 11.2 6 6 11.2.8 6Z" fill="none" stroke="currentColor" strokeWidth={1.4} />
          <path d="M6 .8V11.2L.8 6Z" fill="currentColor" />
        </>
      );
    case 'over_refusal':
      return <rect x={2.4} y={2.4} width={7.2} height={7.2} fill="none" stroke="currentColor" strokeWidth={1.8} />;
    case 'refused':
      return <rect x={1.75} y={1.75} width={8.5} height={8.5} fill="currentColor" />;
    case 'resumed':
      return <circle cx={6} cy={6} r={4.5} fill="currentColor" />;
    case 'fresh':
      return <circle cx={6} cy={6} r={2.2} fill="currentColor" />;
    case 'unverifiable':
      return (
        <>
          <circle cx={6} cy={6} r={4.4} fill="none" stroke="currentColor" strokeWidth={1.1} />
          <path d="M2.6 7.2 7.2 2.6M3.6 9.6 9.6 3.6M4.9 10.2 10.2 4.9" stroke="currentColor" strokeWidth={1.1} fill="none" />
        </>
      );
  }
}
