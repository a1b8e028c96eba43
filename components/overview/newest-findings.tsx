'use client';

import { useNewestFindings } from '@/components/api/use-findings';
import { markOfFinding } from '@/components/findings/finding-mark';
import { Age } from '@/components/format/age';
import css from '@/components/overview/newest-wrong.module.css';
import { SightLink } from '@/components/sight/sight-link';
import { Bone } from '@/components/states/bone';
import { Held } from '@/components/states/held';
import { QueryFailure } from '@/components/states/query-failure';
import { useTimeRange } from '@/components/time-range/use-time-range';
import { SectionHead } from '@/components/ui/section-head';
import { TextLink } from '@/components/ui/text-link';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';

const SHOWN = 5;

/** The newest faults that the stored records prove, of one server or of all, each leading to its proof. */
export function NewestFindings({ server = null }: { readonly server?: string | null }) {
  const [range] = useTimeRange();
  const findings = useNewestFindings(range, { server }, SHOWN);
  const items = findings.data?.items ?? [];
  return (
    <section aria-label="Newest findings">
      <SectionHead
        title="Newest findings"
        sub="faults that the records prove"
        acts={<TextLink href={`/findings${server === null ? '' : `?server=${encodeURIComponent(server)}`}`}>All of them</TextLink>}
      />
      <QueryFailure what="The list of findings" query={findings} />
      {items.length === 0 && findings.isSuccess && !findings.isPlaceholderData && (
        <p className={css['none']}>The records of this range prove no fault.</p>
      )}
      {findings.isPending && <Bone height={180} />}
      <Held queries={[findings]}>
        <ul className={css['list']}>
          {items.map((finding) => (
            <li key={finding.id}>
              <SightLink className={css['item']} href={`/findings/${finding.id}`}>
                <VerdictMark mark={markOfFinding(finding.code)} />
                <div>
                  <div className={css['head']}>
                    <code>{finding.code}</code>
                    <span>{finding.server}</span>
                    <Age at={finding.at} />
                  </div>
                  <p>{finding.message}</p>
                </div>
              </SightLink>
            </li>
          ))}
        </ul>
      </Held>
    </section>
  );
}
