/**
 * The enforcing proxy against direct, nginx (proxy_buffering off), a bare node:http pipe and http-proxy-3, all in one
 * run and in turns. CPU time of the proxy process per event is the honest figure: load and upstream share the other
 * core and are what saturates first. Each part takes under four minutes. A mark that is missed fails the run, but for one that the bare
 * pipe itself cannot reach, which is printed as such.
 *
 * Run: npm run bench:proxy -- [--only cpu,latency,posts,idle,pages] [--rounds N] [--quick]
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { postFor } from './proxy/client';
import { measureIdle } from './proxy/idle';
import { measurePages } from './proxy/pages';
import { cpuUs, KINDS, type Kind, pinLoad, type Running, startProxy, startUpstream } from './proxy/processes';
import { Figures, marksMissed, sayMark, sayRow } from './proxy/report';
import { burst, paced } from './proxy/streams';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'cpu,latency,posts,idle,pages' },
    rounds: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});
const isQuick = options.quick;
/** The turns are short and many: what else the machine does lasts longer than one, and two neighbours feel it alike. */
const rounds = Number(options.rounds ?? (isQuick ? 3 : 7));
const shorter = (value: number): number => (isQuick ? value / 3 : value);

/** Runs the candidates in turns, after each was warmed up once. */
async function inTurns(
  kinds: readonly Kind[],
  turns: number,
  warm: (running: Running) => Promise<unknown>,
  measure: (running: Running) => Promise<void>,
) {
  const upstream = await startUpstream();
  const candidates: Running[] = [];
  try {
    for (const kind of kinds) candidates.push(await startProxy(kind, upstream.port));
    for (const running of candidates) await warm(running);
    for (let turn = 0; turn < turns; turn++) for (const running of candidates) await measure(running);
  } finally {
    for (const running of [...candidates, upstream]) running.stop();
  }
}

const warmStreams = async (running: Running): Promise<void> => {
  await burst(running, 20, 150_000);
  await paced(running, 50, 50, 700);
};

/** http-proxy-3 keeps upstream streams of clients that left, which stalls a run; it is compared by its POSTs. */
const STREAM_KINDS = KINDS.filter((kind) => kind !== 'http-proxy-3');

async function cpu(): Promise<void> {
  const figures = new Figures<Kind>();
  await inTurns(
    STREAM_KINDS.filter((kind) => kind !== 'direct'),
    rounds,
    warmStreams,
    async (running) => {
      const { kind } = running;
      figures.add(kind, 'burst1', await burst(running, 1, shorter(300_000)));
      figures.add(kind, 'burst100', await burst(running, 100, shorter(300_000)));
      figures.add(kind, 'paced', (await paced(running, 100, 50, shorter(2000))).cpu);
    },
  );
  sayRow('CPU us per event', 'paced 100x50', 'burst 1', 'burst 100');
  for (const kind of STREAM_KINDS) {
    if (kind !== 'direct') sayRow(kind, ...['paced', 'burst1', 'burst100'].map((name) => figures.of(kind, name).toFixed(2)));
  }
  sayMark('CPU paced, of pipe', figures.ratio('tidemark', 'pipe', 'paced'), 1);
  sayMark('CPU burst 1 stream, of pipe', figures.ratio('tidemark', 'pipe', 'burst1'), 1);
  sayMark('CPU burst 100 streams, of pipe', figures.ratio('tidemark', 'pipe', 'burst100'), 1);
  sayMark('CPU paced, of nginx', figures.ratio('tidemark', 'nginx', 'paced'), 2.4);
  sayMark('CPU burst 1 stream, of nginx', figures.ratio('tidemark', 'nginx', 'burst1'), 2.4);
  sayMark('CPU burst 100 streams, of nginx', figures.ratio('tidemark', 'nginx', 'burst100'), 2.4);
  sayMark('retention: CPU paced, of pipe', figures.ratio('tidemark-retain', 'pipe', 'paced'), 1.3);
  sayMark('retention: CPU burst 1 stream, of pipe', figures.ratio('tidemark-retain', 'pipe', 'burst1'), 1.3);
  sayMark('retention: CPU burst 100 streams, of pipe', figures.ratio('tidemark-retain', 'pipe', 'burst100'), 1.3);
}

/**
 * Streams, events a second of each, and turns. What a proxy adds is a tenth of a millisecond on a machine whose own
 * wake-ups vary by as much, so the turns are many and short, and a proxy is held against the direct way of the same turn.
 */
const LATENCY_LOADS = [
  { streams: 1, rate: 100, turns: 9 },
  { streams: 100, rate: 50, turns: 7 },
  { streams: 1000, rate: 2, turns: 5 },
] as const;

async function latency(): Promise<void> {
  const kinds = STREAM_KINDS.filter((kind) => kind !== 'tidemark-retain');
  const figures = new Figures<Kind>();
  for (const { streams, rate, turns } of LATENCY_LOADS) {
    await inTurns(kinds, isQuick ? 3 : turns, warmStreams, async (running) => {
      const { p50, p99 } = await paced(running, streams, rate, 1000);
      figures.add(running.kind, `p50/${streams}`, p50);
      figures.add(running.kind, `p99/${streams}`, p99);
    });
  }
  sayRow('us', ...LATENCY_LOADS.flatMap(({ streams }) => [`p50 ${streams}`, `p99 ${streams}`, `added ${streams}`]));
  for (const kind of kinds) {
    const columns = LATENCY_LOADS.flatMap(({ streams }) => [
      figures.of(kind, `p50/${streams}`),
      figures.of(kind, `p99/${streams}`),
      figures.above(kind, 'direct', `p50/${streams}`),
    ]);
    sayRow(kind, ...columns.map((value) => value.toFixed(0)));
  }
  for (const { streams } of LATENCY_LOADS) {
    const added = (kind: Kind) => figures.above(kind, 'direct', `p50/${streams}`);
    sayMark(`added p50 at ${streams} streams, of pipe`, added('tidemark') / added('pipe'), 1.5);
  }
}

async function posts(): Promise<void> {
  const figures = new Figures<Kind>();
  await inTurns(
    KINDS,
    rounds,
    (running) => postFor(running, 32, 2000),
    async (running) => {
      const before = cpuUs(running.pids);
      const started = performance.now();
      const count = await postFor(running, 32, shorter(1500));
      figures.add(running.kind, 'rate', (count / (performance.now() - started)) * 1000);
      figures.add(running.kind, 'cpu', (cpuUs(running.pids) - before) / count);
    },
  );
  sayRow('JSON POSTs', 'POST/s', 'CPU us');
  for (const kind of KINDS) sayRow(kind, figures.of(kind, 'rate').toFixed(0), figures.of(kind, 'cpu').toFixed(1));
  sayMark('POSTs/s, of pipe', figures.ratio('tidemark', 'pipe', 'rate'), 0.9, false);
  const ours = figures.ratio('tidemark', 'http-proxy-3', 'rate');
  const pipes = figures.ratio('pipe', 'http-proxy-3', 'rate');
  // What does nothing but hand a request on is the limit of what can be built on node:http.
  if (pipes >= 2) sayMark('POSTs/s, of http-proxy-3', ours, 2, false);
  else
    console.log(`out of reach: twice the POSTs/s of http-proxy-3, of which the bare pipe has ${pipes.toFixed(2)}, ours ${ours.toFixed(2)}`);
}

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  cpu,
  latency,
  posts,
  idle: () => measureIdle(isQuick ? 2000 : 10_000),
  pages: () => measurePages(rounds, shorter(3000)),
};

pinLoad();
console.log(`${cpus().length} cores, Node ${process.version}, ${rounds} rounds in turns, medians`);
for (const name of options.only.split(',')) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`no part ${name}; there are ${Object.keys(PARTS).join(', ')}`);
  const since = performance.now();
  await part();
  console.log(`(${name}: ${((performance.now() - since) / 1000).toFixed(0)} s)\n`);
}
if (marksMissed() > 0) console.log(`${marksMissed()} marks were missed`);
process.exit(marksMissed() > 0 ? 1 : 0);
