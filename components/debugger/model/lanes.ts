import type { Step } from '@/components/api/timeline';
import { type CallSpan, callsOf } from '@/components/debugger/model/calls';
import { connectionLane } from '@/components/debugger/model/connection-lane';
import type { History } from '@/components/debugger/model/history';
import type { Lane, LaneParts, LaneSpan, LaneTick } from '@/components/debugger/model/lane';
import { lostEmissions } from '@/components/debugger/model/lost-emissions';
import { durationText } from '@/components/debugger/model/span-words';
import type { Decision } from '@/lib/resume/types';
/** The lanes under the plot, top to bottom, and the calls they show. */
export function lanesOf(parts: LaneParts): { readonly lanes: readonly Lane[]; readonly calls: readonly CallSpan[] } {
  const lost = lostEmissions(parts.steps, parts.plotted);
  const calls = callsOf(parts.all, lost);
  const lanes = [clientLane(parts), connectionLane(parts), proxyLane(parts), logLane(parts, lost), callLane(parts, calls), bootLane(parts)];
  return { lanes, calls };
}

/** What the client holds: attached, or away with what it keeps. */
function clientLane({ data, steps, history }: LaneParts): Lane {
  const spans: LaneSpan[] = [];
  for (const line of data.clients) {
    let from = 0;
    for (let place = 1; place < line.length; place++) {
      const [first, before, point] = [line[from], line[place - 1], line[place]];
      if (first === undefined || before === undefined || point === undefined) continue;
      if (point.isAway === first.isAway && place < line.length - 1) continue;
      const span = durationText(point.x - first.x, data.axis);
      spans.push({
        fromX: first.x,
        toX: point.x,
        index: indexNear(history, steps, first.x),
        words: first.isAway ? `away ${span}, keeps ${first.position}` : `has ${before.position}`,
        tone: 'plain',
        isDashed: first.isAway,
      });
      from = place;
    }
  }
  const ticks = steps.flatMap(({ index, record }): LaneTick[] => {
    if (record.type !== 'client') return [];
    const isFault = record.event === 'discarded' || record.event === 'reported_error';
    const words = record.event.replace('_', ' ');
    return [{ x: history.xs[index] ?? 0, index, shape: isFault ? 'mark' : 'tick', tone: isFault ? 'bad_replay' : 'quiet', words }];
  });
  return { name: 'client', spans, ticks };
}

function indexNear(history: History, steps: readonly Step[], x: number): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((history.xs[steps[middle]?.index ?? 0] ?? 0) < x) low = middle + 1;
    else high = middle;
  }
  return (steps[low] ?? steps.at(-1))?.index ?? 0;
}

/** What the enforcing proxy answers, or would answer, to each attempt. */
function proxyLane({ steps, marks, history }: LaneParts): Lane {
  const ticks = steps.flatMap(({ index, record }): LaneTick[] => {
    if (record.type !== 'resume_attempt') return [];
    const answer = proxyAnswer(marks.get(index)?.judged?.decision ?? null);
    return [{ x: history.xs[index] ?? 0, index, shape: 'mark', ...answer }];
  });
  return { name: 'proxy', spans: [], ticks };
}

function proxyAnswer(decision: Decision | null): Pick<LaneTick, 'tone' | 'words'> {
  switch (decision?.verdict) {
    case undefined:
      return { tone: 'unverifiable', words: 'cannot tell' };
    case 'refuse':
      return { tone: 'refused', words: `would refuse, ${decision?.status}` };
    case 'resume':
      return { tone: 'resumed', words: 'would resume' };
    default:
      return { tone: 'fresh', words: 'passes' };
  }
}

function logLane({ steps, history }: LaneParts, lost: ReadonlySet<number>): Lane {
  const ticks = steps.flatMap(({ index, record }): LaneTick[] => {
    const x = history.xs[index] ?? 0;
    if (record.type === 'emit') return [{ x, index, shape: 'tick', tone: lost.has(index) ? 'unsafe_resume' : 'plain', words: '' }];
    if (record.type !== 'evict') return [];
    const count = record.event_ids === undefined ? '' : ` ${record.event_ids.length}`;
    return [{ x, index, shape: 'evict', tone: 'plain', words: `evict${count}` }];
  });
  return { name: 'server log', spans: [], ticks };
}

const TONE_OF_FATE = { pending: 'plain', answered: 'quiet', lost: 'unsafe_resume', failed: 'refused', untold: 'quiet' } as const;
const WORDS_OF_FATE = {
  pending: '',
  answered: '',
  failed: '',
  lost: ', its answer never arrived',
  untold: ', not told whether it was answered',
};

function callLane({ history, data }: LaneParts, calls: readonly CallSpan[]): Lane {
  const xOf = (index: number): number => history.xs[index] ?? 0;
  const spans = calls.map((call): LaneSpan => {
    const isOpenEnd = call.fate === 'lost' || call.answeredAt === null;
    const end = call.fate === 'failed' ? xOf(call.start) : isOpenEnd ? data.toX : xOf(call.answeredAt ?? call.start);
    return {
      fromX: xOf(call.start),
      toX: end,
      index: call.start,
      words: `${call.id} ${call.name}${call.isAgain ? ' again' : ''}${WORDS_OF_FATE[call.fate]}`,
      tone: call.isAgain && call.fate !== 'lost' ? 'bad_replay' : TONE_OF_FATE[call.fate],
      isDashed: call.fate === 'untold',
    };
  });
  return { name: 'calls', spans, ticks: [] };
}

/** Boots of the server, and what happened to the session as a whole. */
function bootLane({ all, history }: LaneParts): Lane {
  const ticks = all.flatMap(({ index, record }): LaneTick[] => {
    if (record.type !== 'boot' && record.type !== 'session') return [];
    const words = record.type === 'boot' ? `boot ${record.node ?? ''}`.trim() : record.event;
    const generation = record.generation === undefined || record.generation === null ? '' : `, gen. ${record.generation}`;
    return [{ x: history.xs[index] ?? 0, index, shape: 'flag', tone: 'plain', words: `${words}${generation}` }];
  });
  return { name: 'boots', spans: [], ticks };
}
