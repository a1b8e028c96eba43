import { backOffMs } from '@/components/live/back-off';
import { readLiveFrame, type StoredFrame } from '@/components/live/live-frame';

export type LiveState = 'connecting' | 'open';

export interface LiveListener {
  readonly onState: (state: LiveState) => void;
  readonly onStored: (frame: StoredFrame) => void;
  /** Something was stored that was not heard of and cannot be told any more: all that is shown must be fetched again. */
  readonly onMissed: () => void;
}

interface LivePlace {
  readonly generation: string;
  readonly seq: number;
}

/** The last event heard of, kept from one connection to the next. */
export interface LiveMemory {
  place: LivePlace | null;
}

/**
 * Holds a connection to `/api/v1/live` and makes a new one, with back-off, whenever it is lost; the new one goes on
 * after the last event heard of, or says that it cannot. Returns the end of it.
 */
export function connectLive(listener: LiveListener, memory: LiveMemory): () => void {
  let socket: WebSocket | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let failures = 0;
  let hasFailed = false;
  let isOver = false;

  const connect = () => {
    socket = new WebSocket(liveUrl(memory.place));
    socket.onopen = () => {
      failures = 0;
      listener.onState('open');
    };
    socket.onmessage = (message) => {
      const frame = readLiveFrame(message.data);
      if (frame === null) return;
      // A page without a place, whose first connection failed, has shown what may be old by now.
      if (frame.type === 'resume_unavailable' || (frame.type === 'open' && frame.verdict === 'fresh' && hasFailed)) listener.onMissed();
      if (frame.type === 'stored') listener.onStored(frame);
      // What is to be replayed still comes: its own frames move the place.
      if (frame.type !== 'open' || frame.replayed === 0) memory.place = { generation: frame.generation, seq: frame.seq };
    };
    socket.onclose = () => {
      if (isOver) return;
      hasFailed = true;
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

function liveUrl(place: LivePlace | null): string {
  const url = new URL('/api/v1/live', location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  if (place !== null) url.search = new URLSearchParams({ generation: place.generation, cursor: String(place.seq) }).toString();
  return url.href;
}
