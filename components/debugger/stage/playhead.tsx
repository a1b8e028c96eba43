'use client';

import type { KeyboardEvent } from 'react';
import { atRecord, type DebuggerStore, useDebuggerState } from '@/components/debugger/debugger-store';
import { placeIn } from '@/components/debugger/model/history';
import { leadAt } from '@/components/debugger/model/lead';
import type { StageFrame } from '@/components/debugger/model/stage-frame';
import css from '@/components/debugger/stage/stage.module.css';
import type { Scene } from '@/components/debugger/use-scene';
import { timeOfDay } from '@/components/format/instant';
import { zoneName } from '@/components/format/zone';
import { MARK_STYLE } from '@/components/verdict-mark/mark-style';

interface PlayheadProps {
  readonly scene: Scene;
  readonly store: DebuggerStore;
  readonly frame: StageFrame;
  readonly height: number;
}

/** The playhead: a line through plot and lanes with its handle, and how far the client then was from losing events. */
export function Playhead({ scene, store, frame, height }: PlayheadProps) {
  const x = useDebuggerState(store, (state) => state.x);
  const index = useDebuggerState(store, (state) => state.index);
  const marks = useDebuggerState(store, (state) => state.marks);
  const { history, part } = scene;
  const place = placeIn(part, index);
  const px = frame.xOf(x);
  const isSeen = px >= frame.left - 1 && px <= frame.right + 1;
  const step = (by: number) => {
    const next = part.indices[Math.min(part.indices.length - 1, Math.max(0, place + by))];
    if (next !== undefined) store.set({ ...atRecord(next, history.xs), isPlaying: false });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = STEPS[event.key];
    if (by === undefined) return;
    event.preventDefault();
    step(by === 'first' ? -part.indices.length : by === 'last' ? part.indices.length : by);
  };
  const record = history.records[index];
  const attempt = scene.marks.get(index);
  const told = [
    `record ${place + 1} of ${part.indices.length}`,
    history.axis === 'time' ? `${timeOfDay(x)} ${zoneName(x)}` : '',
    record?.type.replace('_', ' ') ?? '',
    attempt === undefined ? '' : MARK_STYLE[attempt.mark].word,
  ];
  return (
    <>
      <svg className={css['overlay']} width={frame.right + 60} height={height} aria-hidden="true">
        {marks.map((mark, order) => (
          <ReaderMark key={mark} px={frame.xOf(history.xs[mark] ?? 0)} order={order} frame={frame} height={height} />
        ))}
        {isSeen && <LeadBracket scene={scene} frame={frame} x={x} px={px} />}
      </svg>
      <div
        className={css['playhead']}
        style={{ height, transform: `translateX(${Math.round(px)}px)`, visibility: isSeen ? 'visible' : 'hidden' }}
      >
        <div
          className={css['handle']}
          role="slider"
          tabIndex={0}
          aria-label="Playhead"
          aria-valuemin={1}
          aria-valuemax={part.indices.length}
          aria-valuenow={place + 1}
          aria-valuetext={told.filter((words) => words !== '').join(', ')}
          onKeyDown={onKeyDown}
          data-testid="playhead"
        />
      </div>
    </>
  );
}

const STEPS: Readonly<Record<string, number | 'first' | 'last'>> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 20,
  PageDown: -20,
  Home: 'first',
  End: 'last',
};

const LEAD_PX_MIN = 14;

function LeadBracket({
  scene,
  frame,
  x,
  px,
}: {
  readonly scene: Scene;
  readonly frame: StageFrame;
  readonly x: number;
  readonly px: number;
}) {
  const lead = leadAt(scene.groups, x);
  const group = lead === null ? undefined : frame.groups.find((one) => one.group === lead.group);
  if (lead === null || lead.isLost || group === undefined) return null;
  const [top, bottom] = [group.yOf(lead.client), group.yOf(lead.floor)];
  const events = lead.client - lead.floor + 1;
  if (Math.abs(bottom - top) < LEAD_PX_MIN) return null;
  const at = px - 14;
  return (
    <g className={css['lead']}>
      <path d={`M${at - 4} ${top}h8M${at} ${top}V${bottom}M${at - 4} ${bottom}h8`} />
      <text x={at - 7} y={(top + bottom) / 2 + 4} textAnchor="end">
        lead {events}
      </text>
    </g>
  );
}

interface ReaderMarkProps {
  readonly px: number;
  readonly order: number;
  readonly frame: StageFrame;
  readonly height: number;
}

function ReaderMark({ px, order, frame, height }: ReaderMarkProps) {
  if (px < frame.left || px > frame.right) return null;
  return (
    <g className={css['mark']}>
      <path d={`M${px} 4V${height}`} />
      <rect x={px} y={2} width={16} height={13} rx={2} />
      <text x={px + 8} y={12} textAnchor="middle">
        {order + 1}
      </text>
    </g>
  );
}
