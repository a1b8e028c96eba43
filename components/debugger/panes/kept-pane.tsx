'use client';

import { type DebuggerStore, useDebuggerState } from '@/components/debugger/debugger-store';
import css from '@/components/debugger/panes/panes.module.css';
import type { Scene } from '@/components/debugger/use-scene';
import { formatCount } from '@/components/format/count';
import { timeOfDay } from '@/components/format/instant';
import { recordWords } from '@/components/session/record-words';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';

interface KeptPaneProps {
  readonly scene: Scene;
  readonly store: DebuggerStore;
  readonly onSelect: (index: number) => void;
}

/** What the reader marked on the clock and the facts that were pinned; both travel with the link. */
export function KeptPane({ scene, store, onSelect }: KeptPaneProps) {
  const marks = useDebuggerState(store, (state) => state.marks);
  const pins = useDebuggerState(store, (state) => state.pins);
  if (marks.length === 0 && pins.length === 0) return null;
  return (
    <section aria-label="Marks and pins">
      <h2>Marks and pins</h2>
      <ul className={css['kept']}>
        {marks.map((index, order) => (
          <Kept
            key={`mark ${index}`}
            name={`Mark ${order + 1}`}
            scene={scene}
            index={index}
            onSelect={onSelect}
            onDrop={() => store.set({ marks: marks.filter((one) => one !== index) })}
          />
        ))}
        {pins.map((index) => (
          <Kept
            key={`pin ${index}`}
            name="Pinned"
            scene={scene}
            index={index}
            onSelect={onSelect}
            onDrop={() => store.set({ pins: pins.filter((one) => one !== index) })}
          />
        ))}
      </ul>
    </section>
  );
}

interface KeptProps {
  readonly name: string;
  readonly scene: Scene;
  readonly index: number;
  readonly onSelect: (index: number) => void;
  readonly onDrop: () => void;
}

function Kept({ name, scene, index, onSelect, onDrop }: KeptProps) {
  const record = scene.history.records[index];
  if (record === undefined) return null;
  const { type, subject, detail } = recordWords(record);
  const at = scene.history.axis === 'time' ? `, ${timeOfDay(scene.history.xs[index] ?? 0)}` : '';
  const sentence = scene.explainer?.explain(index)?.sentence ?? [type, subject, detail].filter((part) => part !== '').join(', ');
  return (
    <li>
      <button type="button" className={css['keptWords']} onClick={() => onSelect(index)}>
        <b>
          {name}, record {formatCount(index + 1)}
          {at}
        </b>
        <span>{sentence}</span>
      </button>
      <Button look="ghost" square aria-label={`Remove ${name.toLowerCase()} of record ${index + 1}`} onClick={onDrop}>
        <Icon name="close" size={12} />
      </Button>
    </li>
  );
}
