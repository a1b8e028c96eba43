'use client';

import { memo, useMemo } from 'react';
import { useNewestFindings } from '@/components/api/use-findings';
import { useNewestAttempts } from '@/components/api/use-reads';
import { ATTEMPT_LANGUAGE, filtersOfQuery, queryOfFilters } from '@/components/attempts/attempt-query';
import { filterParams, useAttemptFilters } from '@/components/attempts/use-attempt-filters';
import { countOf } from '@/components/format/count';
import { timeOfDay } from '@/components/format/instant';
import { zoneName } from '@/components/format/zone';
import { useLive } from '@/components/live/live-provider';
import { ProjectSelect } from '@/components/projects/project-select';
import { QueryField } from '@/components/query/query-field';
import { TopBar } from '@/components/shell/top-bar';
import { CopyLink } from '@/components/sight/copy-link';
import { SightLink } from '@/components/sight/sight-link';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { findingParams } from '@/components/tail/finding-params';
import { type TailLine, tailLines } from '@/components/tail/tail-lines';
import css from '@/components/tail/tail-page.module.css';
import type { TimeRange } from '@/components/time-range/time-range';
import { Scroller } from '@/components/ui/scroller';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import type { StoredFinding } from '@/lib/audit/answer-schema';

const LINES_MAX = 300;
const FINDINGS_MAX = 100;
const NO_FINDINGS: readonly StoredFinding[] = [];
const LATELY: TimeRange = { kind: 'relative', preset: '24h' };

/** What arrives, as it arrives, newest first: attempts and findings in one list. Pausing holds it still. */
export function TailPage() {
  const [filters, setFilters] = useAttemptFilters();
  const attempts = useNewestAttempts(LATELY, filterParams(filters), LINES_MAX);
  const wanted = findingParams(filters);
  const findings = useNewestFindings(LATELY, wanted ?? {}, FINDINGS_MAX, wanted !== null);
  const found = wanted === null ? NO_FINDINGS : (findings.data?.items ?? NO_FINDINGS);
  const lines = useMemo(() => tailLines(attempts.data?.items ?? [], found, LINES_MAX), [attempts.data, found]);
  return (
    <>
      <TopBar title="Live tail" isDense>
        <ProjectSelect />
        <CopyLink />
      </TopBar>
      <main id="content" className={css['page']}>
        <div>
          <QueryField
            language={ATTEMPT_LANGUAGE}
            query={queryOfFilters(filters)}
            onQuery={(query) => setFilters(filtersOfQuery(query))}
            placeholder="server:payments-mcp mark:unsafe_resume, or text in a record"
            count={null}
            onFacets={null}
          />
          <QueryFailure what="The newest attempts" query={attempts} />
          <QueryFailure what="The newest findings" query={findings} />
        </div>
        <Scroller label="What arrives" className={css['lines']}>
          {attempts.isPending && <Bone height={240} />}
          {attempts.isSuccess && !findings.isLoading && lines.length === 0 && (
            <Empty title="Nothing arrived in the last 24 hours">
              This page fills by itself when something does. Widen the query if it has one.
            </Empty>
          )}
          <ol>
            {lines.map((line) => (
              <Line key={`${line.kind} ${line.id}`} {...line} />
            ))}
          </ol>
        </Scroller>
        <Foot count={lines.length} newest={lines[0]?.at ?? null} hasFindings={wanted !== null} />
      </main>
    </>
  );
}

/** Drawn once: hundreds of them stay as they are while others arrive. Nothing is fetched ahead for what passes by. */
const Line = memo(function Line({ kind, at, mark, server, word, words, href }: TailLine) {
  return (
    <li className={css['item']}>
      <SightLink className={css['line']} href={href} prefetch={false}>
        <time dateTime={at}>{timeOfDay(Date.parse(at))}</time>
        <VerdictMark mark={mark} isAlone />
        <span className={css['kind']}>{kind}</span>
        <span className={css['server']}>{server}</span>
        <code>{word}</code>
        <span className={css['words']}>{words}</span>
      </SightLink>
    </li>
  );
});

interface FootProps {
  readonly count: number;
  readonly newest: string | null;
  readonly hasFindings: boolean;
}

function Foot({ count, newest, hasFindings }: FootProps) {
  const { isPaused, state } = useLive();
  const words = isPaused
    ? 'Held still. L goes on.'
    : state === 'open'
      ? 'Following. L holds it still.'
      : 'Asking every 10 s until the connection stands.';
  return (
    <div className={css['foot']} role="status">
      <b>{words}</b>
      <span>
        {countOf(count, 'line')}
        {newest === null ? '' : `, the newest of ${timeOfDay(Date.parse(newest), 's')} ${zoneName()}`}
        {hasFindings ? '' : '. Attempts only: the query asks for what findings do not have.'}
      </span>
    </div>
  );
}
