'use client';

import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { connectLive, type LiveMemory, type LiveState } from '@/components/live/connect-live';
import type { StoredFrame } from '@/components/live/live-frame';

/** Between two refreshes of what a page shows, however many records arrive. */
const REFRESH_MS = 1_000;
/** While no live connection stands, pages ask again this often. */
const POLL_MS = 10_000;
/** A page that hears of nothing still asks again this often: time goes on, and what is relative to now with it. */
const QUIET_MS = 60_000;

export interface Live {
  /** `connecting` also covers the time between two tries; the page then polls. */
  readonly state: LiveState | 'paused';
  readonly isPaused: boolean;
  /** Attempts heard of since the page was opened. */
  readonly attemptsHeard: number;
  /** Counts the refreshes: a view that is not refreshed by itself follows this. */
  readonly refreshes: number;
  readonly setPaused: (paused: boolean) => void;
}

const LiveContext = createContext<Live>({ state: 'connecting', isPaused: false, attemptsHeard: 0, refreshes: 0, setPaused: () => {} });

/** The live connection of this page. */
export function useLive(): Live {
  return useContext(LiveContext);
}

/** Queries whose key begins with this are refreshed when something was stored. */
export const LIVE_KEY = 'live';

/**
 * Keeps one WebSocket to the edge and refreshes the shown queries when something was stored: at most one refresh
 * a second, polling while no connection stands, nothing while paused or hidden.
 */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient();
  const [state, setState] = useState<LiveState>('connecting');
  const [isPaused, setPaused] = useState(false);
  const [attemptsHeard, setAttemptsHeard] = useState(0);
  const [refreshes, setRefreshes] = useState(0);
  // Also over a pause: going on, the page hears of what was stored meanwhile.
  const memory = useRef<LiveMemory>({ place: null });
  const refresh = useThrottled(
    useCallback(() => {
      setRefreshes((count) => count + 1);
      void client.invalidateQueries({ queryKey: [LIVE_KEY] });
    }, [client]),
    REFRESH_MS,
  );

  useEffect(() => {
    if (isPaused) return;
    const listener = {
      onState: setState,
      onStored: (frame: StoredFrame) => {
        setAttemptsHeard((heard) => heard + frame.attempts);
        refresh();
      },
      onMissed: refresh,
    };
    return connectLive(listener, memory.current);
  }, [isPaused, refresh]);

  useEffect(() => {
    if (isPaused) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && refresh(), state === 'open' ? QUIET_MS : POLL_MS);
    return () => clearInterval(timer);
  }, [isPaused, state, refresh]);

  const live = useMemo<Live>(
    () => ({ state: isPaused ? 'paused' : state, isPaused, attemptsHeard, refreshes, setPaused }),
    [state, isPaused, attemptsHeard, refreshes],
  );
  return <LiveContext.Provider value={live}>{children}</LiveContext.Provider>;
}

/** Calls `act` at once, then at most once per `ms`; the last call of a burst is never lost. */
function useThrottled(act: () => void, ms: number): () => void {
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const isDue = useRef(false);
  useEffect(() => () => void (timer.current !== null && clearTimeout(timer.current)), []);
  return useCallback(() => {
    if (timer.current !== null) {
      isDue.current = true;
      return;
    }
    act();
    const rest = () => {
      timer.current = null;
      if (!isDue.current) return;
      isDue.current = false;
      act();
      timer.current = setTimeout(rest, ms);
    };
    timer.current = setTimeout(rest, ms);
  }, [act, ms]);
}
