import { backOffMs } from '@/components/live/back-off';
import { readLiveFrame } from '@/components/live/live-frame';
import type { LiveFrame } from '@/lib/wire/responses';

export type LiveState = 'connecting' | 'open';

export interface LiveListener {
  readonly onState: (state: LiveState) => void;
  readonly onFrame: (frame: LiveFrame) => void;
  /** A connection stands again after one was lost: what was stored meanwhile was not heard. */
  readonly onReconnect: () => void;
}

/** Holds a connection to `/api/v1/live` and makes a new one, with back-off, whenever it is lost. Returns the end of it. */
export function connectLive(listener: LiveListener): () => void {
  let socket: WebSocket | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let failures = 0;
  let wasOpen = false;
  let isOver = false;

  const connect = () => {
    socket = new WebSocket(liveUrl());
    socket.onopen = () => {
      failures = 0;
      listener.onState('open');
      if (wasOpen) listener.onReconnect();
      wasOpen = true;
    };
    socket.onmessage = (message) => {
      const frame = readLiveFrame(message.data);
      if (frame !== null) listener.onFrame(frame);
    };
    socket.onclose = () => {
      if (isOver) return;
      listener.onState('connecting');
      timer = setTimeout(connect, backOffMs(failures++, Math.random()));
    };
  };
  connect();

  return () => {
    isOver = true;
    if (timer !== null) clearTimeout(timer);
    socket?.close();
  };
}

function liveUrl(): string {
  const url = new URL('/api/v1/live', location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.href;
}
