import { describe, expect, test } from 'vitest';
import { originOfFrame, originOfHeaders } from '@/lib/intake/batch-origin';

const HEADERS = { 'tidemark-producer': 'pod-1', 'tidemark-epoch': '7', 'tidemark-sequence': '12', 'tidemark-dropped': '3' };
const ORIGIN = { producer: 'pod-1', epoch: '7', sequence: 12, dropped: 3, first: null, began: null };

describe('the origin of a batch', () => {
  test('is read from headers and from a frame alike, whose seq is its number', () => {
    expect(originOfHeaders(HEADERS)).toEqual({ ok: true, value: ORIGIN });
    expect(originOfFrame({ producer: 'pod-1', epoch: 7, dropped: 3 }, 12)).toEqual({ ok: true, value: ORIGIN });
  });

  test('says where its numbering begins, if the producer does', () => {
    expect(originOfHeaders({ ...HEADERS, 'tidemark-first': '0' })).toMatchObject({ ok: true, value: { first: 0 } });
    expect(originOfFrame({ producer: 'pod-1', epoch: '7', first: 1 }, 1)).toMatchObject({ ok: true, value: { first: 1 } });
  });

  test.each([
    ['1796000000000', 1_796_000_000_000],
    ['2026-11-30T00:53:20Z', 1_796_000_000_000],
    ['2026-11-30T02:53:20.000+02:00', 1_796_000_000_000],
  ])('says when its epoch began, if the producer does: %s', (text, began) => {
    expect(originOfHeaders({ ...HEADERS, 'tidemark-began': text })).toMatchObject({ ok: true, value: { began } });
    expect(originOfFrame({ producer: 'pod-1', epoch: '7', began: text }, 1)).toMatchObject({ ok: true, value: { began } });
    expect(originOfFrame({ producer: 'pod-1', epoch: '7', began }, 1)).toMatchObject({ ok: true, value: { began } });
  });

  test('is absent where no producer is named, whatever else is', () => {
    expect(originOfHeaders({ 'tidemark-dropped': '3' })).toEqual({ ok: true, value: null });
    expect(originOfFrame({ epoch: 'x' }, 1)).toEqual({ ok: true, value: null });
    expect(originOfFrame({ producer: null }, 1)).toEqual({ ok: true, value: null });
  });

  test('counts no drops unless told', () => {
    expect(originOfFrame({ producer: 'pod-1', epoch: '7' }, 0)).toMatchObject({ ok: true, value: { sequence: 0, dropped: 0 } });
  });

  test.each([
    { headers: { ...HEADERS, 'tidemark-producer': '' }, path: 'tidemark-producer' },
    { headers: { ...HEADERS, 'tidemark-producer': 'a'.repeat(257) }, path: 'tidemark-producer' },
    { headers: { ...HEADERS, 'tidemark-epoch': undefined }, path: 'tidemark-epoch' },
    { headers: { ...HEADERS, 'tidemark-epoch': 'a\tb' }, path: 'tidemark-epoch' },
    { headers: { ...HEADERS, 'tidemark-sequence': undefined }, path: 'tidemark-sequence' },
    { headers: { ...HEADERS, 'tidemark-sequence': '-1' }, path: 'tidemark-sequence' },
    { headers: { ...HEADERS, 'tidemark-sequence': '1.5' }, path: 'tidemark-sequence' },
    { headers: { ...HEADERS, 'tidemark-sequence': '9007199254740992' }, path: 'tidemark-sequence' },
    { headers: { ...HEADERS, 'tidemark-dropped': 'many' }, path: 'tidemark-dropped' },
    { headers: { ...HEADERS, 'tidemark-first': '2' }, path: 'tidemark-first' },
    { headers: { ...HEADERS, 'tidemark-first': 'one' }, path: 'tidemark-first' },
    { headers: { ...HEADERS, 'tidemark-began': 'yesterday' }, path: 'tidemark-began' },
    { headers: { ...HEADERS, 'tidemark-began': '-1' }, path: 'tidemark-began' },
    { headers: { ...HEADERS, 'tidemark-began': '' }, path: 'tidemark-began' },
    { headers: { ...HEADERS, 'tidemark-sequence': '0', 'tidemark-first': '1' }, path: 'tidemark-first' },
  ])('that is not whole is refused by the name of its member: $path', ({ headers, path }) => {
    expect(originOfHeaders(headers)).toMatchObject({ ok: false, error: { path } });
  });

  test('takes the largest number that JSON does not round', () => {
    const headers = { ...HEADERS, 'tidemark-sequence': '9007199254740991' };
    expect(originOfHeaders(headers)).toMatchObject({ ok: true, value: { sequence: Number.MAX_SAFE_INTEGER } });
  });
});
