'use client';

import Link from 'next/link';
import { useNewestFindings } from '@/components/api/use-findings';
import { markOfFinding } from '@/components/findings/finding-mark';
import { Age } from '@/components/format/age';
import css from '@/components/overview/newest-wrong.module.css';
import { useSight } from '@/components/projects/use-sight';
import { QueryFailure } from '@/components/states/query-failure';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { SectionHead } from '@/components/ui/section-head';
import { TextLink } from '@/components/ui/text-link';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';

const SHOWN = 5;

/** The newest faults that the stored records prove, of one server or of all, each leading to its proof. */
export function NewestFindings({ server = null }: { readonly server?: string | null }) {
  const [range] = useTimeRange();
  const sight = useSight();
  const findings = useNewestFindings(range, { server }, SHOWN);
  const items = findings.data?.items ?? [];
  return (
    <section aria-label="Newest findings">
      <SectionHead
        title="Newest findings"
        sub="faults that the records prove"
        acts={<TextLink href={`/findings?${sight}${server === null ? '' : `&server=${encodeURIComponent(server)}`}`}>All of them</TextLink>}
      />
      <QueryFailure what="The list of findings" query={findings} />
      {items.length === 0 && findings.isSuccess && <p className={css['none']}>The records of this range prove no fault.</p>}
      <ul className={css['list']}>
        {items.map((finding) => (
          <li key={finding.id}>
            <Link className={css['item']} href={`/findings/${finding.id}`}>
              <VerdictMark mark={markOfFinding(finding.code)} />
              <div>
                <div className={css['head']}>
                  <code>{finding.code}</code>
                  <span>{finding.server}</span>
                  <Age at={finding.at} />
                </div>
                <p>{finding.message}</p>
              </div>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
