'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { labelWords } from '@/components/alerts/alert-words';
import css from '@/components/alerts/preview.module.css';
import { previewWords } from '@/components/alerts/preview-words';
import { postJson } from '@/components/api/get-json';
import { TwinSwitch } from '@/components/chart/twin-switch';
import { useTwin } from '@/components/chart/use-twin';
import { durationWords, fullInstant } from '@/components/format/instant';
import { zoneName } from '@/components/format/zone';
import { Bone } from '@/components/states/bone';
import { QueryFailure } from '@/components/states/query-failure';
import { DataTable } from '@/components/ui/data-table';
import { SectionHead } from '@/components/ui/section-head';
import type { PreviewAnswer } from '@/lib/alerting/answer-schema';
import type { RuleInput } from '@/lib/alerting/rule';

const PreviewChart = dynamic(() => import('@/components/alerts/preview-chart').then((module) => module.PreviewChart), {
  ssr: false,
  loading: () => <Bone height={220} />,
});

/** What a rule would have done lately: a sentence, the measure against its threshold, and the table of the same. */
export function PreviewSection({ rule }: { readonly rule: RuleInput | null }) {
  const [isTable, setTable] = useTwin('preview');
  // What a message says and where it goes changes nothing about when a rule fires.
  const asked = rule === null ? null : { ...rule, name: 'preview', channels: [], escalate: undefined, runbook: undefined, enabled: true };
  const preview = useQuery({
    queryKey: ['alert-preview', asked],
    queryFn: () => postJson<PreviewAnswer>('/api/v1/alerts/preview', { rule: asked }),
    placeholderData: keepPreviousData,
    enabled: asked !== null,
    staleTime: 60_000,
  });
  return (
    <section aria-label="Preview on history">
      <SectionHead
        title="On history"
        sub={`the same machine over what is stored, ${zoneName()}`}
        acts={<TwinSwitch isTable={isTable} onChange={setTable} />}
      />
      <QueryFailure what="The preview" query={preview} />
      {preview.data === undefined ? (
        rule === null ? (
          <p className={css['say']}>The preview appears when the rule is whole.</p>
        ) : (
          preview.isPending && <Bone height={260} />
        )
      ) : (
        <div aria-busy={preview.isFetching}>
          <p className={css['say']} data-testid="preview-sentence">
            {rule === null ? 'Of the rule as it was last whole: ' : ''}
            {previewWords(preview.data, rule ?? { threshold: 0 })}
          </p>
          {isTable ? (
            <EpisodeTable preview={preview.data} />
          ) : (
            <PreviewChart
              preview={preview.data}
              measure={rule?.measure ?? ''}
              threshold={rule?.threshold ?? null}
              finding={previewWords(preview.data, rule ?? { threshold: 0 })}
            />
          )}
        </div>
      )}
    </section>
  );
}

function EpisodeTable({ preview }: { readonly preview: PreviewAnswer }) {
  const end = Date.parse(preview.to);
  return (
    <DataTable
      label="When it would have fired"
      heads={['From', 'Until', 'Lasted', 'On']}
      rows={[...preview.episodes].reverse().map(({ opened_at, closed_at, labels }) => ({
        key: `${opened_at} ${JSON.stringify(labels)}`,
        cells: [
          fullInstant(Date.parse(opened_at)),
          closed_at === null ? 'still firing' : fullInstant(Date.parse(closed_at)),
          durationWords((closed_at === null ? end : Date.parse(closed_at)) - Date.parse(opened_at)),
          labelWords(labels),
        ],
      }))}
      empty="It would not have fired."
    />
  );
}
