'use client';

import type { Attempt } from '@/components/api/attempt';
import { sentenceOf } from '@/components/attempts/attempt-sentence';
import { useAttemptPlot } from '@/components/attempts/use-attempt-plot';
import { PositionPlot } from '@/components/plot/position-plot';
import { Bone } from '@/components/states/bone';

const HEIGHT = 148;

/** The attempt in the small picture of its session; nothing where there is none. */
export function MiniPlot({ attempt, className }: { readonly attempt: Attempt; readonly className: string | undefined }) {
  const picture = useAttemptPlot(attempt);
  if (picture === null) return null;
  return (
    <section className={className} aria-label="Position against time">
      {picture.data === null ? (
        <Bone height={HEIGHT} />
      ) : (
        <PositionPlot data={picture.data} height={HEIGHT} finding={sentenceOf(attempt)} selected={attempt.id} isMini />
      )}
    </section>
  );
}
