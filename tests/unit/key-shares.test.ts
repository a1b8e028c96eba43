import { expect, test } from 'vitest';
import { KeyRing } from '@/lib/http/key-ring';
import { KeyHasher, newKeyText } from '@/lib/http/key-text';
import { CommitQueue } from '@/lib/intake/commit-queue';
import type { RecordToStore } from '@/lib/store/record-to-store';

const LIMITS = { recordsMax: 40, charsMax: 1_000_000, groupMax: 10, flightsMax: 1, besideMin: 10, besideMs: 10 };
const recordsOf = (server: string, count: number) => Array.from({ length: count }, () => ({ server, body: '' }) as RecordToStore);

test('a key whose share of the intake is full takes nothing of the share of another of the same label', async () => {
  const hasher = new KeyHasher(new TextEncoder().encode('a secret of thirty-two bytes, at least'));
  const texts = [newKeyText(), newKeyText()];
  const ring = new KeyRing(hasher, [], Date.now);
  ring.replaceStored(
    texts.map(({ text, prefix }, index) => {
      const hash = hasher.hashOf(text).toString('hex');
      return { id: `id-${index}`, prefix, hash, label: 'production', project: index + 1, scopes: ['ingest'], expiresAtMs: null };
    }),
  );
  const [noisy, quiet] = texts.map(({ text }) => ring.callerOf(text)?.id ?? '');
  let commit: () => void = () => undefined;
  const committed = new Promise<void>((resolve) => {
    commit = resolve;
  });
  const queue = new CommitQueue(
    () => committed.then(() => ({ duplicates: new Set(), refused: new Map() })),
    () => false,
    LIMITS,
  );
  const taken: Promise<unknown>[] = [];
  const fill = () => {
    for (let server = 0; server < 100; server++) taken.push(queue.submit(recordsOf(`s${server}`, 1), null, noisy));
  };
  expect(fill).toThrow('this key has its share of the intake already');
  taken.push(queue.submit(recordsOf('calm', 1), null, quiet));
  commit();
  await Promise.all(taken);
});
