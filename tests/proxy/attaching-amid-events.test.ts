import { expect, test } from 'vitest';
import { MemoryLogStore } from '@/lib/proxy/memory-log-store';
import { RedisLogStore } from '@/lib/proxy/redis/redis-log-store';
import { ROUTE_DEFAULTS } from '@/lib/proxy/route';
import { initialize, openStream, type RawStream, resume } from '@/tests/proxy/raw-client';
import { redisOfFile } from '@/tests/proxy/redis-of-file';
import { frame, openSse, type SeenRequest, scriptedUpstream, withSession } from '@/tests/proxy/scripted-upstream';
import { startProxy, until } from '@/tests/proxy/start-proxy';

/** Events come and are evicted whenever a resume waits: what it is told is true of the instant in which it is served. */
const { redis, cleanups } = redisOfFile();

const RETAINED = 12;
const ROUNDS = 60;
const buffer = { ...ROUTE_DEFAULTS.buffer, events: RETAINED };

/** What a store does before it looks anything up. */
type Meanwhile = () => Promise<void>;

class EventfulRedis extends RedisLogStore {
  meanwhile: Meanwhile = async () => undefined;

  override async find(...args: Parameters<RedisLogStore['find']>): ReturnType<RedisLogStore['find']> {
    await this.meanwhile();
    const found = await super.find(...args);
    await this.meanwhile();
    return found;
  }

  override async claim(...args: Parameters<RedisLogStore['claim']>): ReturnType<RedisLogStore['claim']> {
    await this.meanwhile();
    const hold = await super.claim(...args);
    await this.meanwhile();
    return hold;
  }
}

class EventfulMemory extends MemoryLogStore {
  meanwhile: Meanwhile = async () => undefined;

  override find(key: string): ReturnType<MemoryLogStore['find']> {
    void this.meanwhile();
    return super.find(key);
  }
}

function storeOf(kind: 'memory' | 'Redis', held: { readonly memoryBytes?: number }): EventfulRedis | EventfulMemory {
  if (kind === 'memory') return new EventfulMemory(Date.now);
  return new EventfulRedis({ url: redis.url, node: 'eventful', clock: Date.now, retention: buffer, onError: () => undefined, ...held });
}

/** A server whose one stream counts, that keeps everything and replays it to whoever asks. */
async function countingUpstream() {
  let count = 0;
  let reader: SeenRequest | null = null;
  const upstream = await scriptedUpstream(
    withSession('S', (request) => {
      reader?.res.end();
      reader = request;
      openSse(request.res);
      for (let n = 1 + Number(request.headers['last-event-id'] ?? count); n <= count; n++) request.res.write(frame(String(n)));
    }),
  );
  cleanups.push(upstream.stop);
  const emit = (events: number): void => {
    for (let i = 0; i < events; i++) reader?.res.write(frame(String(++count)));
  };
  return { upstream, emit, counted: () => count };
}

async function answerOf(stream: RawStream): Promise<string> {
  if (stream.status === 200) return 'served';
  await until(stream.isEnded);
  const { data } = JSON.parse(stream.bytes().toString()).error;
  return data.reason;
}

test.each([
  { kind: 'memory', replay: 'proxy', copies: 'copies kept' },
  { kind: 'memory', replay: 'upstream', copies: 'copies kept' },
  { kind: 'Redis', replay: 'proxy', copies: 'copies kept' },
  { kind: 'Redis', replay: 'upstream', copies: 'copies kept' },
  { kind: 'Redis', replay: 'proxy', copies: 'no copy kept' },
  { kind: 'Redis', replay: 'upstream', copies: 'no copy kept' },
] as const)('nothing is left out and nothing comes twice: $kind, replay $replay, $copies', async (one) => {
  const { upstream, emit, counted } = await countingUpstream();
  const store = storeOf(one.kind, one.copies === 'copies kept' ? {} : { memoryBytes: 1 });
  const name = `eventful${Math.random()}`.replace('.', '');
  const running = await startProxy(
    { name, upstream: upstream.url, mode: 'enforce', replay: one.replay, buffer },
    { store, node: 'eventful' },
  );
  cleanups.push(running.stop);
  await store.ready();
  const session = await initialize(running.url());
  let stream = await openStream(running.url(), { headers: session });
  let turn = 0;
  store.meanwhile = async () => {
    emit(turn++ % 6);
    for (let i = 0; i < 15 * (turn % 3); i++) await new Promise((resolve) => setImmediate(resolve));
  };
  const told: Record<string, number> = {};
  let from = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const before = counted();
    emit(3);
    if (stream.status === 200) {
      await until(() => Number(stream.events.at(-1)?.id ?? 0) > before || stream.isEnded() || stream.isCut());
      const ids = stream.events.map(({ id }) => Number(id));
      expect(ids).toEqual(ids.map((_, i) => from + 1 + i));
      stream.close();
    }
    from = Math.max(1, counted() - ((round * 7) % (RETAINED + 6)));
    stream = await resume(running.url(), session, String(from));
    const answer = await answerOf(stream);
    told[answer] = (told[answer] ?? 0) + 1;
  }
  stream.close();
  expect(Object.keys(told).filter((answer) => !['served', 'below_floor', 'stream_busy', 'unknown_cursor'].includes(answer))).toEqual([]);
  expect(told['served']).toBeGreaterThan(ROUNDS / 4);
});
