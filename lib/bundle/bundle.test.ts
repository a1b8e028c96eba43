import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJsonExactly } from '@/lib/base/json';
import { BUNDLE_LIMITS, type Bundle, type BundleHashes } from '@/lib/bundle/bundle';
import { exportBundle } from '@/lib/bundle/export-bundle';
import { importBundle } from '@/lib/bundle/import-bundle';
import { foldTimeline } from '@/lib/replay/fold-timeline';
import { decodeRecord } from '@/lib/wire/decode-record';
import type { TelemetryRecord } from '@/lib/wire/schema';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hashes: BundleHashes = { sha256, sessionRef: (server, token) => sha256(`${server}\0${token}`).slice(0, 32) };

interface RecordedCase {
  case: string;
  title: string;
  records: TelemetryRecord[];
}
const recorded = readdirSync('tests/histories').flatMap(
  (file) => parseJsonExactly(readFileSync(`tests/histories/${file}`, 'utf8')) as RecordedCase[],
);

function imported(text: string): Bundle {
  const read = importBundle(text, hashes);
  if (!read.ok) throw new Error(`${read.error.code} at ${read.error.path}: ${read.error.message}`);
  return read.value;
}
const problemOf = (text: string) => {
  const read = importBundle(text, hashes);
  return read.ok ? null : read.error;
};
const bare = (records: unknown[], title: unknown = 'An incident') => JSON.stringify({ title, records });
const sample = exportBundle(imported(bare([{ type: 'emit', event_id: '1', session: 'S1' }, { type: 'boot' }])), hashes);

test('a token that looks like a reference is hashed unless the text was exported', () => {
  const token = 'deadbeef'.repeat(4);
  const records = [{ type: 'emit', event_id: '1', session: token }];
  const byHand = { tidemark_bundle: 1, incident: { title: 'by hand' }, records };
  const reference = imported(bare(records)).records[0]?.session;
  expect(reference).not.toBe(token);
  expect(imported(JSON.stringify(byHand)).records[0]?.session).toBe(reference);
  expect(imported(exportBundle(imported(bare(records)), hashes)).records[0]?.session).toBe(reference);
});

describe('there and back', () => {
  test.each(recorded)('$case: bytes, timeline and title survive', ({ title, records }) => {
    const first = imported(bare(records, title));
    const text = exportBundle(first, hashes);
    const second = imported(text);
    expect(exportBundle(second, hashes)).toBe(text);
    expect(foldTimeline(second.records)).toEqual(foldTimeline(first.records));
    expect(foldTimeline(first.records).map((step) => step.state)).toEqual(foldTimeline(records).map((step) => step.state));
    expect(second.incident.title).toBe(title);
  });

  test('any members and any text survive byte for byte, in whatever order they came', () => {
    const extras = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 4 });
    fc.assert(
      fc.property(fc.array(extras, { maxLength: 5 }), fc.string({ unit: 'binary' }), (members, event_id) => {
        const records = members.map((extra) => ({
          ...extra,
          type: 'emit',
          session: 'a'.repeat(32),
          event_id,
          position: '9223372036854775807',
        }));
        if (!records.every((record) => decodeRecord(record).ok)) return;
        const text = exportBundle(
          { incident: { title: 'x', ...(members[0] && { extra: members[0] }) }, records: records as TelemetryRecord[] },
          hashes,
        );
        const read = imported(text);
        expect(exportBundle(read, hashes)).toBe(text);
        const reversed = Object.fromEntries(Object.entries(JSON.parse(text)).reverse());
        expect(exportBundle(imported(JSON.stringify(reversed, null, 2)), hashes)).toBe(text);
      }),
    );
  });

  test('positions beyond 2^53 arrive whole, as numbers and as text', () => {
    const text = '{"title":"x","records":[{"type":"emit","session":null,"range":[9007199254740993,"9223372036854775807"]}]}';
    expect(imported(text).records).toEqual([{ type: 'emit', session: null, range: ['9007199254740993', '9223372036854775807'] }]);
  });
  test('no token is in a bundle', () => {
    const text = exportBundle(
      imported(
        bare([
          { type: 'boot', session: 'secret-token', server: 'pay' },
          { type: 'boot', session: null },
        ]),
      ),
      hashes,
    );
    expect(text).not.toContain('secret-token');
    expect(imported(text).records.map(({ session }) => session)).toEqual([hashes.sessionRef('pay', 'secret-token'), null]);
  });
});

describe('refused with place and reason', () => {
  const tooDeep = `{"title":"x","records":[{"type":"boot","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}]}`;
  test.each([
    { what: 'empty', text: '', code: 'bundle_truncated', path: 'offset 0' },
    { what: 'cut in a string', text: sample.slice(0, 30), code: 'bundle_truncated', path: 'offset 30' },
    { what: 'cut before the last bracket', text: sample.slice(0, -2), code: 'bundle_truncated', path: `offset ${sample.length - 2}` },
    { what: 'too deep', text: tooDeep, code: 'bundle_too_deep', path: `offset ${tooDeep.indexOf('[[') + BUNDLE_LIMITS.depth - 3}` },
    { what: 'not JSON', text: '{"title" "x"}', code: 'bundle_malformed', path: 'offset 9' },
    { what: 'no object', text: '[]', code: 'bundle_invalid', path: '' },
    { what: 'no title', text: '{"records":[]}', code: 'bundle_invalid', path: 'title' },
    { what: 'no records', text: '{"title":"x"}', code: 'bundle_invalid', path: 'records' },
    {
      what: 'a newer version',
      text: '{"tidemark_bundle":2,"incident":{"title":"x"},"records":[]}',
      code: 'bundle_version_unsupported',
      path: 'tidemark_bundle',
    },
    { what: 'a version of another type', text: '{"tidemark_bundle":"1"}', code: 'bundle_version_unsupported', path: 'tidemark_bundle' },
    { what: 'no incident', text: '{"tidemark_bundle":1,"records":[]}', code: 'bundle_invalid', path: 'incident' },
    {
      what: 'a title of another type',
      text: '{"tidemark_bundle":1,"incident":{"title":4},"records":[]}',
      code: 'bundle_invalid',
      path: 'incident.title',
    },
    {
      what: 'a bad record',
      text: bare([{ type: 'boot' }, { type: 'resume_attempt', verdict: 'resumed', cursor: -4 }]),
      code: 'bundle_invalid',
      path: 'records[1].cursor',
    },
    { what: 'a record that is none', text: bare([7]), code: 'bundle_invalid', path: 'records[0]' },
    { what: 'an edited record', text: sample.replace('"event_id":"1"', '"event_id":"2"'), code: 'bundle_edited', path: 'content_sha256' },
    { what: 'a record taken out', text: sample.replace(/,\n\{"type":"boot"\}/, ''), code: 'bundle_edited', path: 'content_sha256' },
    {
      what: 'an edited hash',
      text: sample.replace(/"content_sha256":"./, '"content_sha256":"x'),
      code: 'bundle_edited',
      path: 'content_sha256',
    },
  ])('$what', ({ text, code, path }) => expect(problemOf(text)).toMatchObject({ code, path }));

  test('too many records', () => {
    const text = `{"title":"x","records":[${'0,'.repeat(BUNDLE_LIMITS.records)}0]}`;
    expect(problemOf(text)).toMatchObject({ code: 'bundle_invalid', path: 'records' });
  });
  test('every cut of a bundle is refused', () => {
    for (let length = 0; length < sample.length - 1; length++) expect(problemOf(sample.slice(0, length))?.code).toBe('bundle_truncated');
  });
  test('no text makes it throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.json(),
          fc.tuple(fc.nat(sample.length), fc.string()).map(([at, put]) => sample.slice(0, at) + put + sample.slice(at)),
        ),
        (text) => {
          expect(typeof importBundle(text, hashes).ok).toBe('boolean');
        },
      ),
      { numRuns: 500 },
    );
  });
  test('a hand-written bundle without a hash is read', () =>
    expect(imported('{"tidemark_bundle":1,"incident":{"title":"x"},"records":[]}').incident).toEqual({ title: 'x' }));
  test('a name that is no member of objects reaches no prototype', () => {
    const read = imported(
      '{"tidemark_bundle":1,"incident":{"title":"x","__proto__":{"polluted":1}},"records":[{"type":"boot","session":"t","__proto__":{"polluted":1}}]}',
    );
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(exportBundle(imported(exportBundle(read, hashes)), hashes)).toBe(exportBundle(read, hashes));
  });
});
