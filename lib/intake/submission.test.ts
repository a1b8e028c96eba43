import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SentBatch } from '@/lib/store/record-to-store';
import { type PartOutcome, Submission } from './submission';

const receipt = { at: 1_796_000_000_000, nextArrival: () => 1, sessionRef: () => '', project: 1, isNumbered: false };

/** Stores what is of the server `own`, of which `known` was stored before. */
async function storeOwn({ records }: SentBatch): Promise<PartOutcome> {
  const stored = records.filter(({ server, node }) => server === 'own' && node !== 'known').length;
  return { stored, refused: new Map(records.filter(({ server }) => server !== 'own').map((record) => [record, 'foreign'])) };
}

const VALUES = {
  own: { type: 'boot', server: 'own' },
  known: { type: 'boot', server: 'own', node: 'known' },
  foreign: { type: 'boot', server: 'other' },
  unreadable: { type: 'nothing that is known' },
};
const Kind = fc.constantFrom(...(Object.keys(VALUES) as (keyof typeof VALUES)[]));

test('what is not stored is named by its place among all that was sent, in order, however it is divided', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(Kind, { maxLength: 12 }), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (parts, isRepeated) => {
        let told = 0;
        const store = (batch: SentBatch) => {
          told += batch.rejected.length;
          return storeOwn(batch);
        };
        const submission = new Submission({ receipt: () => receipt, store, onPrepared: () => undefined, hold: () => undefined }, null);
        const sent: (keyof typeof VALUES)[] = [];
        for (const kinds of parts) {
          // A part of the size that is stored by itself.
          const all = isRepeated ? [...Array<'own'>(10_000).fill('own'), ...kinds] : kinds;
          sent.push(...all);
          submission.add({ values: all.map((kind) => VALUES[kind]), unreadable: new Map() });
          await submission.storeParts();
        }
        const count = (kind: keyof typeof VALUES) => sent.filter((one) => one === kind).length;
        const { accepted, duplicate, rejected } = await submission.finish();
        // Whatever could not be read is noted, once, with one of the parts.
        expect(told).toBe(count('unreadable'));
        expect({ accepted, duplicate }).toEqual({ accepted: count('own'), duplicate: count('known') });
        expect(rejected.map(({ index, code }) => [index, code === 'foreign_server' ? 'foreign' : 'unreadable'])).toEqual(
          sent.flatMap((kind, index) => (kind === 'foreign' || kind === 'unreadable' ? [[index, kind]] : [])),
        );
      },
    ),
    { numRuns: 40 },
  );
});
