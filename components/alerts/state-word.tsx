import css from '@/components/alerts/state-word.module.css';
import { cx } from '@/components/ui/cx';
import type { RuleStateWord } from '@/lib/alerting/answer-schema';

const WORDS: Readonly<Record<RuleStateWord, string>> = {
  error: 'cannot be read',
  no_data: 'no data',
  firing: 'firing',
  recovering: 'recovering',
  pending: 'pending',
  normal: 'normal',
  off: 'off',
};

/** How an alert or a rule stands, as a shape and a word. */
export function StateWord({ state }: { readonly state: RuleStateWord }) {
  return (
    <span className={cx(css['state'], css[state])} data-state={state}>
      <svg viewBox="0 0 12 12" width={12} height={12} aria-hidden="true">
        <Shape state={state} />
      </svg>
      {WORDS[state]}
    </span>
  );
}

function Shape({ state }: { readonly state: RuleStateWord }) {
  const line = { fill: 'none', stroke: 'currentColor', strokeWidth: 1.5 };
  switch (state) {
    case 'firing':
      return <path d="M6 .8 11.2 6 6 11.2.8 6Z" fill="currentColor" />;
    case 'pending':
      return <path d="M6 1.4 10.6 6 6 10.6 1.4 6Z" {...line} strokeDasharray="2 1.6" />;
    case 'recovering':
      return (
        <>
          <path d="M6 1.4 10.6 6 6 10.6 1.4 6Z" {...line} />
          <path d="M6 6H.8L6 11.2 11.2 6Z" fill="currentColor" />
        </>
      );
    case 'error':
      return <path d="M2.5 2.5l7 7M9.5 2.5l-7 7" {...line} strokeLinecap="round" />;
    case 'no_data':
      return <path d="M1.5 10.5l9-9M1.5 6l4.5-4.5M6 10.5l4.5-4.5" {...line} strokeWidth={1.2} />;
    case 'off':
      return <path d="M2.5 6h7" {...line} strokeLinecap="round" />;
    case 'normal':
      return <path d="M2.5 6.5 5 9l4.5-6" {...line} strokeLinecap="round" strokeLinejoin="round" />;
  }
}
