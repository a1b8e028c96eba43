'use client';

import { Popover } from 'radix-ui';
import type { ReactNode } from 'react';
import { timeOfDay } from '@/components/format/instant';
import { spanWords } from '@/components/overview/annotation-lanes';
import css from '@/components/overview/annotation-lanes.module.css';
import { type Annotation, annotationWords } from '@/components/overview/annotation-words';
import { SightLink } from '@/components/sight/sight-link';
import { cx } from '@/components/ui/cx';
import menu from '@/components/ui/menu.module.css';

interface AnnotationListProps {
  readonly annotations: readonly Annotation[];
  /** What stands in the lane for all of them. */
  readonly children: ReactNode;
}

const timeOf = (atMs: number): string => timeOfDay(atMs, 'min');

/** What stands too close to be told apart, a line each on a press; incidents lead to their pages. */
export function AnnotationList({ annotations, children }: AnnotationListProps) {
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <button type="button">{children}</button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className={cx(menu['panel'], css['list'])}
          aria-label="What happened here"
          align="start"
          sideOffset={4}
          collisionPadding={12}
        >
          <ul aria-label="What happened here">
            {annotations.map((one) => (
              <li key={`${one.at} ${one.kind} ${one.incident ?? one.servers.join()}`}>
                <Line annotation={one} />
              </li>
            ))}
          </ul>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Line({ annotation }: { readonly annotation: Annotation }) {
  const words = (
    <>
      <span>{spanWords(annotation, timeOf)}</span> {annotationWords(annotation)}
    </>
  );
  if (annotation.incident === null) return <p className={css['line']}>{words}</p>;
  return (
    <SightLink className={css['line']} href={`/incidents/${annotation.incident}`}>
      {words}
    </SightLink>
  );
}
