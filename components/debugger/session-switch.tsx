'use client';

import css from '@/components/debugger/debugger.module.css';
import { atMoment, atRecord, type DebuggerStore } from '@/components/debugger/debugger-store';
import { spanOfPart } from '@/components/debugger/model/history';
import { fitting } from '@/components/debugger/model/viewport';
import type { Scene } from '@/components/debugger/use-scene';
import { formatCount } from '@/components/format/count';
import { shortText } from '@/components/format/short-text';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';

/** Which session and which of its streams is drawn, where there is a choice. */
export function SessionSwitch({ scene, store }: { readonly scene: Scene; readonly store: DebuggerStore }) {
  const { history, part, stream } = scene;
  const { sessions } = history;
  const place = sessions.indexOf(part);
  if (sessions.length < 2 && part.streams.length < 2) return null;
  const go = (session: number) => {
    const next = sessions[session];
    if (next === undefined) return;
    const at = atRecord(atMoment(store.state.x, history.xs, next.indices).index, history.xs);
    store.set({ session, stream: null, ...at, view: fitting(spanOfPart(history, next), history), isPlaying: false });
  };
  return (
    <div className={css['switch']}>
      {sessions.length > 1 && (
        <>
          <label>
            <span>Session</span>
            <select value={place} onChange={(event) => go(Number(event.target.value))}>
              {sessions.map((one, index) => (
                <option key={`${one.server} ${one.key}`} value={index}>
                  {shortText(one.key, 13)}, {one.server}
                </option>
              ))}
            </select>
          </label>
          <span className={css['faint']}>
            {formatCount(place + 1)} of {formatCount(sessions.length)}
          </span>
          <Button square aria-label="Previous session" disabled={place <= 0} onClick={() => go(place - 1)}>
            <Icon name="back" size={12} />
          </Button>
          <Button square aria-label="Next session" disabled={place >= sessions.length - 1} onClick={() => go(place + 1)}>
            <Icon name="arrow" size={12} />
          </Button>
        </>
      )}
      {part.streams.length > 1 && (
        <label>
          <span>Stream</span>
          <select value={stream} onChange={(event) => store.set({ stream: event.target.value })}>
            {part.streams.map((one) => (
              <option key={one} value={one}>
                {shortText(one, 24)}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}
