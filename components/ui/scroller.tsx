import type { ReactNode } from 'react';

/** A region that scrolls must be reachable by keyboard (WCAG 2.1.1), so it takes the focus although nothing in it acts. */
const REACHABLE = { tabIndex: 0 };

interface ScrollerProps {
  readonly label: string;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** A named region with its own scrolling. */
export function Scroller({ label, className, children }: ScrollerProps) {
  return (
    <section className={className} aria-label={label} {...REACHABLE}>
      {children}
    </section>
  );
}
