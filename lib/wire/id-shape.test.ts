import { expect, test } from 'vitest';
import { readIdShape } from '@/lib/wire/id-shape';

test.each([
  ['41', '\0', 41n],
  ['0', '\0', 0n],
  ['9223372036854775807', '\0', 9223372036854775807n],
  ['E_1042', 'E_\0', 1042n],
  ['_41', '_\0', 41n],
  ['A:41', 'A:\0', 41n],
  ['e7', 'e\0', 7n],
  ['4/17', '\0/17', 4n],
  ['UzE=:Z2V0:5', 'UzE=:Z2V0:\0', 5n],
  ['3f25a0c1-4d00-41', '3f25a0c1-4d00-\0', 41n],
  ['q_0000_1', 'q_0000_\0', 1n],
  ['S1/get_listen/k/9', 'S1/get_listen/k/\0', 9n],
  ['m_007', 'm_\0', 7n],
])('%s is a number in a text', (id, label, number) => expect(readIdShape(id)).toEqual({ label, number }));

test.each([
  '',
  'a',
  '007',
  '9223372036854775808',
  'E_9223372036854775808',
  'E_99999999999999999999',
  '_GET_stream_1756000000000_zz11',
  '0190a3',
  '-',
  '41 ',
  '1.5x',
])('%s is not', (id) => expect(readIdShape(id)).toBeNull());
