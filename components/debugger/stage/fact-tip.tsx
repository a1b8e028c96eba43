import { indexAtX } from '@/components/debugger/model/history';
import { stepAsOf } from '@/components/debugger/model/session-scene';
import type { StageFrame } from '@/components/debugger/model/stage-frame';
import css from '@/components/debugger/stage/stage.module.css';
import type { Tip } from '@/components/debugger/stage/use-stage-pointer';
import type { Scene } from '@/components/debugger/use-scene';
import { formatCount } from '@/components/format/count';
import { timeOfDay } from '@/components/format/instant';
import { zoneName } from '@/components/format/zone';
import { recordWords } from '@/components/session/record-words';
import { VerdictBadge } from '@/components/verdict-mark/verdict-badge';

interface FactTipProps {
  readonly scene: Scene;
  readonly tip: Tip;
  readonly frame: StageFrame;
}

const WIDTH = 276;

/** What the pointer rests on, in words; over nothing, what was retained then. */
export function FactTip({ scene, tip, frame }: FactTipProps) {
  const isLate = tip.px > frame.right - WIDTH - 20;
  const side = isLate ? { right: `calc(100% - ${tip.px - 14}px)` } : { left: tip.px + 14 };
  return (
    <div className={css['tip']} style={{ ...side, top: tip.py + 14, maxWidth: WIDTH }} role="presentation">
      {tip.hit === null ? <MomentWords scene={scene} x={tip.x} /> : <RecordTip scene={scene} index={tip.hit.index} words={tip.hit.words} />}
    </div>
  );
}

function RecordTip({ scene, index, words }: { readonly scene: Scene; readonly index: number; readonly words: string }) {
  const record = scene.history.records[index];
  if (record === undefined) return null;
  const { type, subject, detail } = recordWords(record);
  const attempt = scene.marks.get(index);
  const sentence = attempt === undefined ? null : (scene.explainer?.explain(index)?.sentence ?? null);
  return (
    <>
      <p>
        <span className={css['tipNumber']}>{formatCount(index + 1)}</span> <code>{type}</code> {subject}
        {scene.history.axis === 'time' && <time>{timeOfDay(scene.history.xs[index] ?? 0)}</time>}
      </p>
      {attempt !== undefined && <VerdictBadge mark={attempt.mark} />}
      <p className={css['tipMore']}>{sentence ?? (words === '' ? detail : words)}</p>
    </>
  );
}

function MomentWords({ scene, x }: { readonly scene: Scene; readonly x: number }) {
  const step = stepAsOf(scene.steps, indexAtX(scene.history.xs, x));
  if (step === null) return <p>Before the first record.</p>;
  const { floor, head, generation, holes } = step.state;
  const retained =
    floor === null || head === null
      ? 'What was retained is not known.'
      : `Retained ${floor} to ${head}${holes.length > 0 ? ', with holes' : ''}.`;
  return (
    <>
      <p>
        {scene.history.axis === 'time' ? `${timeOfDay(x)} ${zoneName(x)}` : `After record ${formatCount(step.index + 1)}`}
        {generation !== null && <span className={css['tipNumber']}> generation {generation}</span>}
      </p>
      <p className={css['tipMore']}>{retained}</p>
    </>
  );
}
