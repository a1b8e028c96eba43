'use client';

import { memo, useMemo } from 'react';
import { timeOfDay } from '@/components/format/instant';
import { AnnotationGlyph } from '@/components/overview/annotation-glyph';
import { itemWords, type LaneItem, lanesOf } from '@/components/overview/annotation-lanes';
import css from '@/components/overview/annotation-lanes.module.css';
import { AnnotationList } from '@/components/overview/annotation-list';
import type { Annotation } from '@/components/overview/annotation-words';
import type { BarArea } from '@/components/overview/bar-geometry';
import { SightLink } from '@/components/sight/sight-link';
import { cx } from '@/components/ui/cx';

interface AnnotationLanesProps {
  readonly annotations: readonly Annotation[];
  readonly area: BarArea;
}

/** Narrower than this there is only the sign. Pixels. */
const WORDS_FROM = 46;
const timeOf = (atMs: number): string => timeOfDay(atMs, 'min');

/** What happened beside the attempts, above their bars and on the same time axis; incidents lead to their pages. */
export const AnnotationLanes = memo(function AnnotationLanes({ annotations, area }: AnnotationLanesProps) {
  const lanes = useMemo(() => lanesOf(annotations, area), [annotations, area]);
  if (lanes.length === 0) return null;
  return (
    <div className={css['lanes']}>
      {lanes.map(({ name, items }) => (
        <ul key={name} className={css['lane']} aria-label={`Beside the attempts: ${name}`}>
          {items.map((item) => (
            <li
              key={item.key}
              className={cx(css['item'], item.width > 0 && css['span'])}
              style={placeOf(item)}
              title={itemWords(item, timeOf)}
            >
              <ItemWords item={item} />
            </li>
          ))}
        </ul>
      ))}
    </div>
  );
});

function placeOf({ x, width, room }: LaneItem) {
  return width > 0
    ? { left: x, width: Math.max(14, width), maxWidth: Math.max(14, room) }
    : { left: x - 5, maxWidth: Math.max(14, room - 2) };
}

function ItemWords({ item }: { readonly item: LaneItem }) {
  const { kind, tag, incident, annotations, width, room } = item;
  const hasWords = (width > 0 ? Math.min(Math.max(width, 14), room) : room) >= WORDS_FROM;
  const words = (
    <>
      <AnnotationGlyph kind={kind} />
      <span className={hasWords ? css['tag'] : css['hidden']}>{tag}</span>
      {!hasWords && annotations.length > 1 && <b aria-hidden="true">{annotations.length}</b>}
    </>
  );
  if (item.isList) return <AnnotationList annotations={annotations}>{words}</AnnotationList>;
  return incident === null ? words : <SightLink href={`/incidents/${incident}`}>{words}</SightLink>;
}
