import css from '@/components/findings/severity.module.css';
import { cx } from '@/components/ui/cx';
import type { Severity as Level } from '@/lib/audit/finding';

/** A severity as one to four bars and its word: the shape says it as the word does. */
export function Severity({ level }: { readonly level: Level }) {
  const bars = BARS[level];
  return (
    <span className={cx(css['severity'], css[level])}>
      <svg viewBox="0 0 12 12" width={11} height={11} aria-hidden="true">
        {[0, 1, 2, 3].map((bar) => (
          <rect key={bar} x={bar * 3} y={9 - bar * 3} width={2} height={3 + bar * 3} fill="currentColor" opacity={bar < bars ? 1 : 0.25} />
        ))}
      </svg>
      {level}
    </span>
  );
}

const BARS: Readonly<Record<Level, number>> = { info: 1, warning: 2, error: 3, critical: 4 };
