import { type Annotation, annotationTag, annotationWords } from '@/components/overview/annotation-words';
import { type BarArea, xAt } from '@/components/overview/bar-geometry';

/** Something in a lane: one annotation or several that stand too close to be told apart. */
export interface LaneItem {
  readonly key: string;
  readonly kind: Annotation['kind'];
  readonly x: number;
  /** Length of what lasts; 0 for what has only an instant. Pixels. */
  readonly width: number;
  /** Room up to the next one, for words. Pixels. */
  readonly room: number;
  readonly tag: string;
  /** What happened, each with its instant. */
  readonly annotations: readonly Annotation[];
  /** Id of the incident that it leads to. */
  readonly incident: string | null;
  /** Whether its parts are different things, each worth a line of its own. */
  readonly isList: boolean;
}

export interface Lane {
  readonly name: string;
  readonly items: readonly LaneItem[];
}

/** Nearer ones are merged into a count. Pixels. */
const APART_PX = 22;

const LANES: readonly (readonly [name: string, kinds: readonly Annotation['kind'][]])[] = [
  ['incidents', ['storm', 'incident']],
  ['deploys and boots', ['deploy', 'boot', 'generation', 'proxy_mode']],
  ['evictions', ['forced_eviction', 'session_evicted']],
];

/** The annotations in lanes, those that would overlap merged; lanes with nothing in them are left out. */
export function lanesOf(annotations: readonly Annotation[], area: BarArea): Lane[] {
  return LANES.flatMap(([name, kinds]) => {
    const items = laneItems(
      annotations.filter(({ kind }) => kinds.includes(kind)),
      area,
    );
    return items.length === 0 ? [] : [{ name, items }];
  });
}

function laneItems(annotations: readonly Annotation[], area: BarArea): LaneItem[] {
  const groups: { x: number; end: number | null; members: Annotation[] }[] = [];
  for (const one of annotations) {
    const x = xAt(area, Date.parse(one.at));
    const end = one.until === null ? null : xAt(area, Date.parse(one.until));
    const last = groups.at(-1);
    if (last !== undefined && x < Math.max(last.end ?? 0, last.x + APART_PX)) {
      last.members.push(one);
      last.end = end === null ? last.end : Math.max(last.end ?? 0, end);
    } else groups.push({ x, end, members: [one] });
  }
  return groups.map(({ x, end, members }, index) => {
    const [first] = members;
    return {
      key: `${first?.kind} ${first?.at} ${first?.servers.join()}`,
      kind: first?.kind ?? 'boot',
      x,
      width: end === null ? 0 : end - x,
      room: (groups[index + 1]?.x ?? area.right) - x,
      tag: members.length === 1 && first !== undefined ? annotationTag(first) : tagOfMany(members),
      annotations: members,
      incident: members.length === 1 ? (first?.incident ?? null) : null,
      isList: members.length > 1 && (members.some(({ incident }) => incident !== null) || !areAlike(members)),
    };
  });
}

/** Several of one kind and server are that kind so many times; of several kinds, so many notes. */
function tagOfMany(members: readonly Annotation[]): string {
  if (members.every(({ incident }) => incident !== null)) return `${members.length} incidents`;
  const [first] = members;
  if (first === undefined || !areAlike(members)) return `${members.length} notes`;
  const merged = { ...first, count: members.reduce((sum, { count }) => sum + count, 0) };
  return annotationTag(merged);
}

const areAlike = ([first, ...others]: readonly Annotation[]): boolean =>
  others.every(({ kind, servers }) => kind === first?.kind && servers.join() === first.servers.join());

/** Everything of one item, a line each. */
export function itemWords({ annotations }: LaneItem, timeOf: (atMs: number) => string): string {
  const lines = annotations.slice(0, LINES_MAX).map((one) => `${spanWords(one, timeOf)} ${annotationWords(one)}`);
  const more = annotations.length - lines.length;
  return more > 0 ? `${lines.join('\n')}\nand ${more} more` : lines.join('\n');
}

const LINES_MAX = 8;

/** When something happened: `02:14`, `02:14 to 03:05`. */
export function spanWords({ at, until }: Annotation, timeOf: (atMs: number) => string): string {
  const [from, to] = [timeOf(Date.parse(at)), until === null ? null : timeOf(Date.parse(until))];
  return to === null || to === from ? from : `${from} to ${to}`;
}
