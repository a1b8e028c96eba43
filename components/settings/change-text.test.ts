import { expect, test } from 'vitest';
import { changeText } from '@/components/settings/change-text';

test.each([
  [{ role: 'viewer' }, { role: 'admin' }, 'role viewer → admin'],
  [null, { label: 'search', scopes: ['read', 'ingest'] }, 'label search · scopes read, ingest'],
  [{ label: 'search' }, null, 'label search'],
  ['shadow', 'enforce', 'shadow → enforce'],
  [{ records_days: 30, rollups_days: 90 }, { records_days: 60, rollups_days: 90 }, 'records days 30 → 60'],
  [null, { email: null, expires_at: '2026-01-01' }, 'expires at 2026-01-01'],
  [null, null, ''],
  [undefined, { inner: { a: 1 } }, 'inner {"a":1}'],
])('%j to %j reads %j', (from, to, text) => expect(changeText(from, to)).toBe(text));
