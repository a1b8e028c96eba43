'use client';

import { parseAsInteger, parseAsString, useQueryStates } from 'nuqs';
import { useMemo } from 'react';
import css from '@/components/compare/compare.module.css';
import { CompareSide } from '@/components/compare/compare-side';
import { divergenceSentence } from '@/components/compare/divergence-words';
import { SidePicker } from '@/components/compare/side-picker';
import { useCompared } from '@/components/compare/use-compared';
import { TopBar } from '@/components/shell/top-bar';
import { CopyLink } from '@/components/sight/copy-link';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { compareHistories } from '@/lib/replay/compare';
import type { TelemetryRecord } from '@/lib/wire/schema';

const PARSERS = { left: parseAsString, right: parseAsString, a: parseAsInteger, b: parseAsInteger };

/** Two histories side by side, aligned at a record of each, up to where they part. */
export function ComparePage() {
  const [query, setQuery] = useQueryStates(PARSERS, { history: 'push' });
  const left = useCompared(query.left ?? '');
  const right = useCompared(query.right ?? '');
  const align = useMemo(() => ({ a: (query.a ?? 1) - 1, b: (query.b ?? 1) - 1 }), [query.a, query.b]);
  return (
    <>
      <TopBar title="Compare" isDense>
        <CopyLink />
      </TopBar>
      <main id="content">
        <SidePicker left={query.left ?? ''} right={query.right ?? ''} onPick={(picked) => void setQuery({ ...picked, a: null, b: null })} />
        <QueryFailure what="The left history" query={left} />
        <QueryFailure what="The right history" query={right} />
        {(query.left === null || query.right === null) && (
          <Empty title="Choose two histories">
            Two sessions, two runs, or an incident before and after a deploy: by reference of a session or id of an incident.
          </Empty>
        )}
        {(left.isLoading || right.isLoading) && <Bone height={320} />}
        {left.data !== undefined && right.data !== undefined && (
          <Compared
            left={left.data}
            right={right.data}
            align={align}
            onAlign={(next) => void setQuery({ a: next.a === 0 ? null : next.a + 1, b: next.b === 0 ? null : next.b + 1 })}
          />
        )}
      </main>
    </>
  );
}

interface Align {
  readonly a: number;
  readonly b: number;
}

interface ComparedProps {
  readonly left: readonly TelemetryRecord[];
  readonly right: readonly TelemetryRecord[];
  readonly align: Align;
  readonly onAlign: (align: Align) => void;
}

function Compared({ left, right, align, onAlign }: ComparedProps) {
  const comparison = useMemo(() => compareHistories(left, right, align), [left, right, align]);
  const { divergence } = comparison;
  const at = divergence ?? { indexA: align.a + comparison.alike, indexB: align.b + comparison.alike };
  const isHot = divergence !== null;
  return (
    <>
      <p className={css['sentence']} data-testid="divergence">
        {divergenceSentence(comparison)}
      </p>
      <div className={css['sides']}>
        <CompareSide
          name="Left"
          records={left}
          from={align.a}
          divergence={at.indexA}
          isHot={isHot}
          onAlign={(index) => onAlign({ ...align, a: index })}
        />
        <CompareSide
          name="Right"
          records={right}
          from={align.b}
          divergence={at.indexB}
          isHot={isHot}
          onAlign={(index) => onAlign({ ...align, b: index })}
        />
      </div>
    </>
  );
}
