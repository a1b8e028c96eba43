import { expect, test } from 'vitest';
import { proxyProcess, type ServerProcess } from '@/tests/proxy/processes';
import { initialize, openStream, postStream, type RawStream, resume, rpc } from '@/tests/proxy/raw-client';
import { redisOfFile } from '@/tests/proxy/redis-of-file';
import { frame, openSse, resultFor, type SeenRequest, scriptedUpstream, withSession } from '@/tests/proxy/scripted-upstream';
import { until } from '@/tests/proxy/start-proxy';

/** Two proxy processes with one Redis: a stream is served to one connection at a time, whichever process it comes to. */

const { redis, cleanups } = redisOfFile();

interface Replica {
  readonly process: ServerProcess;
  readonly url: string;
}

/** An upstream whose calls answer by hand, and a session with an open call of which `p1` and `p2` were delivered by the first replica. */
async function openCall() {
  const calls: SeenRequest[] = [];
  const resumes: SeenRequest[] = [];
  const upstream = await scriptedUpstream(
    withSession(`S-${Math.random()}`, (request) => {
      if (request.method === 'POST') {
        calls.push(request);
        openSse(request.res).write(frame('p1') + frame('p2'));
      } else {
        const isResume = request.headers['last-event-id'] !== undefined;
        if (isResume) resumes.push(request);
        openSse(request.res).write(isResume ? ':\n\n' : frame('g1'));
      }
    }),
  );
  cleanups.push(upstream.stop);
  const route = { name: `r${Math.random()}`.replace('.', ''), upstream: upstream.url, mode: 'enforce', replay: 'proxy' };
  const env = { REDIS_URL: redis.url, TIDEMARK_SECRET: 'the same secret on every replica' };
  const start = async (): Promise<Replica> => {
    const process = await proxyProcess([route], env);
    cleanups.push(async () => {
      process.signal('SIGCONT');
      await process.stop();
    });
    return { process, url: `${process.origin}/proxy/${route.name}` };
  };
  const [one, two] = await Promise.all([start(), start()]);
  const session = await initialize(one.url);
  const call = await postStream(one.url, session, rpc(7, 'tools/call'));
  await until(() => call.events.length === 2);
  return { upstream, one, two, session, call, calls, resumes };
}

async function answered(stream: RawStream): Promise<string> {
  if (stream.status === 200) return 'served';
  await until(stream.isEnded);
  const { code, data } = JSON.parse(stream.bytes().toString()).error;
  return `${stream.status} ${code} ${data.type}`;
}

const BUSY = '409 -32012 stream_busy';
const ids = (stream: RawStream) => stream.events.map(({ id }) => id);

/** Comes back until it is served; answers with the stream and with what it was told before. */
async function untilServed({ url }: Replica, session: Record<string, string>, cursor: string) {
  const told = new Set<string>();
  const stream = await until(async () => {
    const one = await resume(url, session, cursor);
    const answer = await answered(one);
    if (answer === 'served') return one;
    told.add(answer);
    one.close();
    return null;
  });
  return { stream, told: [...told] };
}

test('a stream that one replica serves is busy at the other, and free as soon as its client leaves', async () => {
  const { one, two, session, call, calls, resumes } = await openCall();
  expect(await answered(await resume(two.url, session, 'p1'))).toBe(BUSY);
  call.close();
  const followed = await resume(two.url, session, 'p1');
  expect(await answered(followed)).toBe('served');
  // Now the other way round: the first replica reads the stream, the second one serves it.
  expect(await answered(await resume(one.url, session, 'p1'))).toBe(BUSY);
  followed.close();
  const back = await resume(one.url, session, 'p1');
  expect(await answered(back)).toBe('served');
  calls[0]?.res.end(frame('p3') + frame('p4', resultFor(7)));
  await until(back.isEnded);
  expect(ids(back)).toEqual(['p2', 'p3', 'p4']);
  expect(resumes).toEqual([]);
});

test('of many that come at the same moment to both replicas one is served', async () => {
  const { one, two, session, call } = await openCall();
  let last = call;
  for (let round = 0; round < 5; round++) {
    last.close();
    const twins = await Promise.all([one, two, one, two].map(({ url }) => resume(url, session, 'p1')));
    const answers = await Promise.all(twins.map(answered));
    expect(answers.sort()).toEqual([BUSY, BUSY, BUSY, 'served']);
    last = twins.find(({ status }) => status === 200) ?? last;
  }
  last.close();
});

test('a second standalone stream at the other replica is a stream of its own: cursors do not mix', async () => {
  const { one, two, session, upstream, call } = await openCall();
  const first = await openStream(one.url, { headers: session });
  await until(() => first.events.length === 1);
  const answer = upstream.answer;
  upstream.answer = (request) => (request.method === 'GET' ? void openSse(request.res).write(frame('h1')) : answer(request));
  const second = await openStream(two.url, { headers: session });
  await until(() => second.events.length === 1);
  for (const stream of [first, second]) {
    expect(await answered(await resume(one.url, session, stream.events[0]?.id ?? ''))).toBe(BUSY);
    stream.close();
    const { stream: back } = await untilServed(two, session, stream.events[0]?.id ?? '');
    expect(ids(back)).toEqual([]);
    back.close();
  }
  call.close();
});

test('the replica that served is killed: its stream is busy until its lease ends, then served elsewhere', async () => {
  const { one, two, session, call, resumes } = await openCall();
  await one.process.kill();
  await until(call.isCut);
  const { stream, told } = await untilServed(two, session, 'p2');
  expect(told).toEqual([BUSY]);
  expect(resumes.map(({ headers }) => headers['last-event-id'])).toEqual(['p2']);
  resumes[0]?.res.end(frame('p3') + frame('p4', resultFor(7)));
  await until(stream.isEnded);
  expect(ids(stream)).toEqual(['p3', 'p4']);
});

test('a replica that stood still for longer than its lease ends its stream with the error, and doubles nothing', async () => {
  const { one, two, session, call, calls, resumes } = await openCall();
  one.process.signal('SIGSTOP');
  calls[0]?.res.write(frame('p3'));
  const { stream, told } = await untilServed(two, session, 'p2');
  expect(told).toEqual([BUSY]);
  resumes[0]?.res.write(frame('p3'));
  await until(() => stream.events.length === 1);
  one.process.signal('SIGCONT');
  await until(call.isEnded);
  calls[0]?.res.write(frame('p4'));
  resumes[0]?.res.end(frame('p4') + frame('p5', resultFor(7)));
  await until(stream.isEnded);
  expect(ids(stream)).toEqual(['p3', 'p4', 'p5']);
  expect(ids(call).slice(0, 2)).toEqual(['p1', 'p2']);
  expect(call.events.slice(2).map(({ data }) => JSON.parse(data))).toMatchObject([
    { id: 7, error: { code: -32012, data: { type: 'stream_busy' } } },
  ]);
});

test('a call that began while Redis was down is held as soon as Redis is back', async () => {
  const { one, two, session, call, calls } = await openCall();
  call.close();
  await redis.kill();
  const late = await postStream(one.url, session, rpc(8, 'tools/call'));
  await until(() => late.events.length === 2);
  expect(await answered(await resume(two.url, session, 'p1'))).toMatch(/^503 -32013/);
  await redis.restart();
  // What is relayed from now on is logged again, and can be resumed from.
  const answers: string[] = [];
  await until(async () => {
    calls[1]?.res.write(frame(`q${answers.length}`));
    await until(() => ids(late).at(-1) === `q${answers.length}`);
    answers.push(await answered(await resume(two.url, session, `q${answers.length}`)));
    return answers.at(-1) === BUSY;
  });
  expect(answers).not.toContain('served');
  late.close();
  const { stream } = await untilServed(two, session, ids(late).at(-1) ?? '');
  stream.close();
});
