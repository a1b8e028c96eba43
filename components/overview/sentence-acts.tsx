import css from '@/components/overview/fleet-sentence-view.module.css';
import { sentenceLeads } from '@/components/overview/sentence-leads';
import { SightLink } from '@/components/sight/sight-link';
import { buttonClass } from '@/components/ui/button';
import type { Summary } from '@/lib/wire/responses';

/** The ways from the sentence to what it speaks of; the first is the one to take. */
export function SentenceActs({ summary }: { readonly summary: Summary }) {
  const leads = sentenceLeads(summary);
  if (leads.length === 0) return null;
  return (
    <div className={css['acts']}>
      {leads.map(({ words, href }, place) => (
        <SightLink key={words} className={buttonClass(place === 0 ? { look: 'primary' } : {})} href={href}>
          {words}
        </SightLink>
      ))}
    </div>
  );
}
