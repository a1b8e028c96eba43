'use client';

import type { ReactNode } from 'react';
import { TwinSwitch } from '@/components/chart/twin-switch';
import css from '@/components/debugger/debugger.module.css';
import { type DebuggerStore, useDebuggerState } from '@/components/debugger/debugger-store';
import type { Scene } from '@/components/debugger/use-scene';

/** What the picture shows, its key, and the way to its table. */
export function StageHead({ scene, store }: { readonly scene: Scene; readonly store: DebuggerStore }) {
  const isTable = useDebuggerState(store, (state) => state.isTable);
  return (
    <div className={css['head']}>
      <h2>Position against {scene.history.axis === 'time' ? 'time' : 'order of records'}</h2>
      <Key name="head">
        <path d="M0 5h16" stroke="var(--p-head)" strokeWidth={1.8} />
      </Key>
      <Key name="floor">
        <path d="M0 5h16" stroke="var(--p-floor)" strokeWidth={1.4} />
      </Key>
      <Key name="client">
        <path d="M0 5h16" stroke="var(--p-client)" strokeWidth={1.6} strokeDasharray="4 3" />
      </Key>
      <Key name="retained">
        <rect width={16} height={10} fill="var(--p-band)" />
      </Key>
      <Key name="hole">
        <path d="M0 10 10 0M6 10 16 0" stroke="var(--p-hole)" strokeWidth={1.2} />
      </Key>
      <span className={css['push']}>
        <TwinSwitch isTable={isTable} onChange={(next) => store.set({ isTable: next })} />
      </span>
    </div>
  );
}

function Key({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <span className={css['key']}>
      <svg width={16} height={10} aria-hidden="true">
        {children}
      </svg>
      {name}
    </span>
  );
}
