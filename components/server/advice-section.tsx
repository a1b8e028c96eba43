import { serverAdvice } from '@/components/server/server-advice';
import css from '@/components/server/server-page.module.css';
import { SectionHead } from '@/components/ui/section-head';
import type { ServerDetail } from '@/lib/wire/responses';

/** What to do, by what was seen. */
export function AdviceSection({ detail }: { readonly detail: ServerDetail }) {
  const advice = serverAdvice(detail);
  return (
    <section aria-label="Advice">
      <SectionHead title="Advice" sub="by what was seen in this range" />
      {advice.length === 0 && <p className={css['none']}>Nothing needs doing by what was seen.</p>}
      <ul className={css['advice']}>
        {advice.map(({ key, seen, step }) => (
          <li key={key}>
            <b>{seen}</b>
            <span>{step}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
