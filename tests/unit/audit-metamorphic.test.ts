import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { auditRecords } from '@/lib/audit/audit-records';

type Json = Record<string, unknown>;

interface Case {
  case: string;
  records: Json[];
  expect: { resumes?: (Json & { index: number })[]; findings?: (Json & { code: string })[]; absent?: string[] };
}

const cases = readdirSync('tests/histories')
  .sort()
  .flatMap((name) => JSON.parse(readFileSync(`tests/histories/${name}`, 'utf8')) as Case[]);

type Answer = Extract<ReturnType<typeof auditRecords>, { ok: true }>['value'];

/** What a history must and must not give, compared in full; empty when all of it holds. */
function differences({ records, expect: wanted }: Pick<Case, 'records' | 'expect'>): string[] {
  const answer = auditRecords(records);
  if (!answer.ok) return [`record ${answer.error.index}: ${answer.error.path} ${answer.error.message}`];
  const told = answer.value.findings.map((finding) => finding.code as string);
  return [
    ...(wanted.resumes ?? []).flatMap((resume) => resumeDifferences(answer.value, resume)),
    ...(wanted.findings ?? [])
      .filter((finding) => !isFound(answer.value, finding))
      .map((finding) => `not found: ${JSON.stringify(finding)} among ${told.join(', ')}`),
    ...(wanted.absent ?? []).filter((code) => told.includes(code)).map((code) => `must not be found: ${code}`),
  ];
}

function resumeDifferences(answer: Answer, { index, ...members }: Json & { index: number }): string[] {
  const resume = answer.resumes.find((candidate) => candidate.index === index);
  const decision = resume?.decision;
  const told: Json = {
    verdict: decision?.verdict,
    reason: decision?.reason,
    status: decision?.status,
    replay_count: decision?.replay?.count ?? 0,
    gap_count: decision?.gap?.count ?? 0,
    assessment: resume?.assessment,
  };
  return Object.keys(members)
    .filter((key) => told[key] !== members[key])
    .map((key) => `resume ${index}: ${key} is ${String(told[key])} instead of ${String(members[key])}`);
}

function isFound(answer: Answer, wanted: Json): boolean {
  return answer.findings.some((finding) => {
    const told: Json = { ...finding };
    return Object.entries(wanted).every(([key, value]) => String(told[key]) === String(value));
  });
}

const ID_MEMBERS = new Set([
  'event_id',
  'event_ids',
  'last_event_id',
  'floor',
  'first',
  'last',
  'range',
  'cursor',
  'head',
  'covered_from',
  'position',
]);

/** Applies `change` to every event id and position of a record or expectation. */
function mapIds(value: unknown, change: (id: string | number) => string | number, key = ''): unknown {
  if (Array.isArray(value)) return value.map((member) => mapIds(member, change, key));
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapIds(member, change, name)]));
  return ID_MEMBERS.has(key) && (typeof value === 'string' || typeof value === 'number') ? change(value) : value;
}

/** Moves the last number of an id by `by`; an id without one, or with padding, stays. */
const shifted =
  (by: bigint) =>
  (id: string | number): string | number => {
    if (typeof id === 'number') return Number(BigInt(id) + by);
    const match = /^(.*?)(0|[1-9]\d*)$/s.exec(id);
    if (match === null) return id;
    return `${match[1]}${BigInt(match[2] ?? '0') + by}`;
  };

const usesOnlyPlainNumbers = (entry: Case): boolean => {
  let plain = true;
  mapIds(entry.records, (id) => {
    if (typeof id === 'string' && !/^([A-Za-z]{0,3}[_:]?)(0|[1-9]\d{0,8})$/.test(id)) plain = false;
    return id;
  });
  return plain;
};

function renamed(entry: Case, prefix: string, server: string): Case {
  const session = (token: unknown) => (token === null ? null : `${prefix}-${String(token ?? 'S1')}`);
  const rename = (record: Json): Json => ({
    ...record,
    server: `${server}${record['server'] === undefined ? '' : `-${String(record['server'])}`}`,
    ...(record['type'] === 'boot' && record['session'] === undefined ? {} : { session: session(record['session']) }),
    ...(record['conn'] === undefined ? {} : { conn: `${prefix}/${String(record['conn'])}` }),
    ...(record['node'] === undefined ? {} : { node: `${prefix}.${String(record['node'])}` }),
  });
  const finding = (wanted: Json & { code: string }) => ({
    ...wanted,
    ...(wanted['session'] === undefined ? {} : { session: session(wanted['session']) }),
    ...(wanted['conn'] === undefined ? {} : { conn: `${prefix}/${String(wanted['conn'])}` }),
  });
  return {
    case: entry.case,
    records: entry.records.map(rename),
    expect: { ...entry.expect, findings: (entry.expect.findings ?? []).map(finding) },
  };
}

describe('what a history proves does not hang on its names and numbers', () => {
  test.each(cases.map((entry) => [entry.case, entry] as const))('%s with other sessions, connections, nodes and server', (_name, entry) => {
    expect(differences(renamed(entry, 'zz9', 'other-server'))).toEqual([]);
  });

  test.each(cases.filter(usesOnlyPlainNumbers).map((entry) => [entry.case, entry] as const))(
    '%s with every number 7,000 higher',
    (_name, entry) => {
      const change = shifted(7000n);
      expect(
        differences({ records: mapIds(entry.records, change) as Json[], expect: mapIds(entry.expect, change) as Case['expect'] }),
      ).toEqual([]);
    },
  );

  test.each(cases.map((entry) => [entry.case, entry] as const))('%s an hour later', (_name, entry) => {
    const records = entry.records.map((record) =>
      typeof record['at'] === 'number' ? { ...record, at: record['at'] + 3_600_000 } : record,
    );
    expect(differences({ records, expect: entry.expect })).toEqual([]);
  });
});

type Side = 0 | 1;

interface Woven {
  readonly records: Json[];
  /** Where each side's records went, by their own index. */
  readonly places: readonly [number[], number[]];
}

/** Riffles two lists of records, each in its own order, as the coins fall. */
function weave(sides: readonly [readonly Json[], readonly Json[]], coins: Iterable<boolean>): Woven {
  const woven: Woven = { records: [], places: [[], []] };
  for (const coin of coins) {
    const side = sideToTake(sides, woven, coin ? 1 : 0);
    const record = sides[side][woven.places[side].length];
    if (record === undefined) break;
    woven.places[side].push(woven.records.length);
    woven.records.push(record);
  }
  return woven;
}

function sideToTake(sides: readonly [readonly Json[], readonly Json[]], woven: Woven, wanted: Side): Side {
  if (woven.places[wanted].length < sides[wanted].length) return wanted;
  return wanted === 0 ? 1 : 0;
}

/** An expectation about one side, told by the woven places; `absent` is left out since the other side may have it. */
function placed({ expect: wanted }: Case, places: readonly number[]): Case['expect'] {
  const move = <T extends Json>(told: T): T => (typeof told['index'] === 'number' ? { ...told, index: places[told['index']] ?? -1 } : told);
  return { resumes: (wanted.resumes ?? []).map(move), findings: (wanted.findings ?? []).map(move) };
}

test('two histories woven into one give what each gives alone', () => {
  const pick = fc.constantFrom(...cases);
  fc.assert(
    fc.property(pick, pick, fc.infiniteStream(fc.boolean()), (left, right, coins) => {
      const sides = [renamed(left, 'L', 'left'), renamed(right, 'R', 'right')] as const;
      const { records, places } = weave([sides[0].records, sides[1].records], coins);
      const wrong = ([0, 1] as const).flatMap((side) => differences({ records, expect: placed(sides[side], places[side]) }));
      expect(wrong, `${sides[0].case} with ${sides[1].case}`).toEqual([]);
    }),
    { numRuns: 400 },
  );
});
