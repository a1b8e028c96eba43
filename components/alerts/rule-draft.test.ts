import fc from 'fast-check';
import { expect, test } from 'vitest';
import { durationText, parseDuration } from '@/components/alerts/duration-text';
import { draftOf, NEW_DRAFT, ruleOfDraft } from '@/components/alerts/rule-draft';
import { PRESET_RULES } from '@/lib/alerting/presets';
import { ruleOf } from '@/lib/alerting/rule';

test.each(PRESET_RULES)('the preset $name comes through the form unchanged', (preset) => {
  const { rule, problems } = ruleOfDraft(draftOf(preset));
  expect(problems).toEqual({});
  expect(rule === null ? null : ruleOf(rule)).toEqual(ruleOf(preset));
});

test('filters, channels, escalation and timing come through the form unchanged', () => {
  const input = {
    name: 'whole',
    measure: 'gap_rate',
    threshold: 0.25,
    filter: { server: ['pay', 'orders'], client: 'ide' },
    group_by: ['server', 'node'] as const,
    notify_by: ['node'] as const,
    channels: ['a', 'b'],
    escalate: { after_s: 900, channels: ['c'] },
    runbook: 'https://runbooks.example/x',
    enabled: false,
    no_data: 'keep' as const,
    repeat_s: 7200,
  };
  const whole = { ...input, group_by: [...input.group_by], notify_by: [...input.notify_by] };
  const { rule } = ruleOfDraft(draftOf(whole));
  expect(rule === null ? null : ruleOf(rule)).toEqual(ruleOf(whole));
});

test.each([
  [{ name: '' }, 'name'],
  [{ name: '-x' }, 'name'],
  [{ threshold: '' }, 'threshold'],
  [{ threshold: 'many' }, 'threshold'],
  [{ window: '0 s' }, 'window'],
  [{ window: '2 d' }, 'window'],
  [{ lasting: 'soon' }, 'lasting'],
  [{ repeat: '59 s' }, 'repeat'],
  [{ runbook: 'ftp://x' }, 'runbook'],
  [{ escalateAfter: '5 min' }, 'escalateAfter'],
  [{ escalateChannels: ['a'] }, 'escalateAfter'],
])('%j is named as wrong at its own field', (part, field) => {
  const { rule, problems } = ruleOfDraft({ ...NEW_DRAFT, ...part });
  expect(rule).toBeNull();
  expect(Object.keys(problems)).toEqual([field]);
});

test('a duration is read back as it was written', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 604_800 }), (seconds) => parseDuration(durationText(seconds)) === seconds));
  expect(['90', '5min', ' 2 Hours ', '-1 s', '1.5 h', '3 weeks'].map(parseDuration)).toEqual([90, 300, 7200, null, null, null]);
});
