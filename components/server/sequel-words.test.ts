import { expect, test } from 'vitest';
import { sequelWords } from '@/components/server/sequel-words';

const none = { reinitialized: 0, looped: 0, retried: 0, other_cursor: 0, dropped_cursor: 0, went_on: 0, hung: 0, unknown: 0 };

test('what clients do after a refusal is told with its share, most first', () => {
  expect(sequelWords(none)).toBe('no refusal in this range');
  expect(sequelWords({ ...none, looped: 1, hung: 3 })).toBe(
    'hangs: nothing came for 5 minutes 75.0 % (3), loops: the same cursor three times or more 25.0 % (1)',
  );
});
