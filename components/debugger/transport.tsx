'use client';

import css from '@/components/debugger/debugger.module.css';
import { type DebuggerStore, SPEEDS, useDebuggerState } from '@/components/debugger/debugger-store';
import type { Deeds } from '@/components/debugger/deeds';
import type { Scene } from '@/components/debugger/use-scene';
import { formatCount } from '@/components/format/count';
import { timeOfDay } from '@/components/format/instant';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';

interface TransportProps {
  readonly scene: Scene;
  readonly store: DebuggerStore;
  readonly deeds: Deeds;
}

/** The bar that moves the playhead: play, step, speed, and the places worth jumping to. */
export function Transport({ scene, store, deeds }: TransportProps) {
  const isPlaying = useDebuggerState(store, (state) => state.isPlaying);
  const speed = useDebuggerState(store, (state) => state.speed);
  return (
    <div className={css['transport']} role="toolbar" aria-label="Playback">
      <Now scene={scene} store={store} />
      <Button look="ghost" square aria-label="Step back (,)" title="Step back (,)" onClick={() => deeds.step(-1)}>
        <Icon name="stepBack" size={14} />
      </Button>
      <Button square aria-label={isPlaying ? 'Pause (Space)' : 'Play (Space)'} title="Space" onClick={deeds.playOrPause}>
        <Icon name={isPlaying ? 'pause' : 'play'} size={14} />
      </Button>
      <Button look="ghost" square aria-label="Step forward (.)" title="Step forward (.)" onClick={() => deeds.step(1)}>
        <Icon name="stepOn" size={14} />
      </Button>
      <fieldset className={css['segments']} aria-label="Speed">
        {SPEEDS.map((one) => (
          <button key={one} type="button" aria-pressed={one === speed} onClick={() => store.set({ speed: one })}>
            {one === 1 ? '1×' : one}
          </button>
        ))}
      </fieldset>
      <span className={css['rule']} />
      <Jump keyName="R" words="Refusal" count={scene.targets.refusals.length} onPress={() => deeds.jump('refusals', 1)} />
      <Jump keyName="F" words="Finding" count={scene.targets.findings.length} onPress={() => deeds.jump('findings', 1)} />
      {scene.targets.generations.length > 0 && (
        <Jump keyName="N" words="Generation" count={scene.targets.generations.length} onPress={() => deeds.jump('generations', 1)} />
      )}
      <Button
        look="ghost"
        onClick={deeds.backToLoss}
        className={css['jump']}
        title="Back to the last record after which the cursor was still safe"
      >
        <Icon name="back" size={13} />
        The loss <kbd>B</kbd>
      </Button>
    </div>
  );
}

function Now({ scene, store }: { readonly scene: Scene; readonly store: DebuggerStore }) {
  const x = useDebuggerState(store, (state) => state.x);
  const index = useDebuggerState(store, (state) => state.index);
  const words = scene.history.axis === 'time' ? timeOfDay(x) : `record ${formatCount(index + 1)}`;
  return (
    <output className={css['now']} aria-label="Playhead at" aria-live="off">
      {words}
    </output>
  );
}

interface JumpProps {
  readonly keyName: string;
  readonly words: string;
  readonly count: number;
  readonly onPress: () => void;
}

function Jump({ keyName, words, count, onPress }: JumpProps) {
  return (
    <Button
      look="ghost"
      className={css['jump']}
      disabled={count === 0}
      title={`Next ${words.toLowerCase()}: ${formatCount(count)} in this session`}
      onClick={onPress}
    >
      {words} <kbd>{keyName}</kbd>
    </Button>
  );
}
