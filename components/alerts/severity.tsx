import css from '@/components/alerts/severity.module.css';
import { cx } from '@/components/ui/cx';
import type { Severity } from '@/lib/alerting/rule';

const BARS: Readonly<Record<Severity, number>> = { critical: 4, error: 3, warning: 2, info: 1 };

/** How bad an alert is: bars and a word. Verdicts have their own shapes and colours; these are neither. */
export function SeverityWord({ severity }: { readonly severity: Severity }) {
  const filled = BARS[severity];
  return (
    <span className={cx(css['severity'], css[severity])}>
      <svg viewBox="0 0 14 12" width={14} height={12} aria-hidden="true">
        {[0, 1, 2, 3].map((bar) => (
          <rect
            key={bar}
            x={bar * 3.6}
            y={8 - bar * 2.6}
            width={2.4}
            height={4 + bar * 2.6}
            fill="currentColor"
            opacity={bar < filled ? 1 : 0.22}
          />
        ))}
      </svg>
      {severity}
    </span>
  );
}
