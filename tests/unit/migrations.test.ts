import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const FOLDER = new URL('../../db/migrations/', import.meta.url);
const { entries } = JSON.parse(readFileSync(new URL('meta/_journal.json', FOLDER), 'utf8')) as {
  entries: { idx: number; when: number; tag: string }[];
};

test('migrations are numbered in their order, and each is dated after the one before: an installation skips what is dated earlier', () => {
  expect(entries.map(({ idx }) => idx)).toEqual(entries.map((_entry, index) => index));
  expect(entries.map(({ when }) => when)).toEqual(entries.map(({ when }) => when).sort((a, b) => a - b));
  expect(new Set(entries.map(({ when }) => when)).size).toBe(entries.length);
});

test('every migration of the folder is in the journal, and none is empty', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'));
  expect(files.sort()).toEqual(entries.map(({ tag }) => `${tag}.sql`).sort());
  for (const file of files) expect(readFileSync(new URL(file, FOLDER), 'utf8').trim(), file).not.toBe('');
});
