import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { auditRecords } from '@/lib/audit/audit-records';
import { FINDINGS, pageOf } from '@/lib/audit/catalogue';
import { FINDING_GROUPS, type FindingCode } from '@/lib/audit/finding';
import { RULES } from '@/lib/audit/registry';

const root = new URL('../../', import.meta.url);
const codes = Object.keys(FINDINGS) as FindingCode[];

/** The catalogue of the contract, section 5, word for word. */
const CATALOGUE =
  'gap lost_response missignalled_caught_up cursor_lost ids_not_on_wire stalled_delivery duplicate cursor_not_honoured possible_duplicate_execution cross_generation_replay cross_stream_replay cross_session_replay id_reused id_collision id_not_advancing ambiguous_cursor over_refusal wrong_status disguised_refusal unanswered_resume reconnect_loop stream_flap stale_session_loop orphaned_stream zombie_holder session_adopted active_session_expired session_loss_ignored partial_session_loss abandoned_sessions route_not_found silent_client idle_cut header_stripped used_cleared_cursor suppressed_live_events'.split(
    ' ',
  );

describe('the registry', () => {
  test('has exactly the codes of the catalogue, each with one rule', () => {
    expect([...codes].sort()).toEqual([...CATALOGUE].sort());
    expect(RULES.map((rule) => rule.code).sort()).toEqual([...CATALOGUE].sort());
    expect(Object.values(FINDING_GROUPS).flat().sort()).toEqual([...CATALOGUE].sort());
  });

  test('every rule is a module named after its code', () => {
    const modules = readdirSync(new URL('lib/audit/rules/', root));
    for (const code of codes) expect(modules).toContain(`${code.replaceAll('_', '-')}.ts`);
  });

  test('there is a page per code and no other', () => {
    const pages = readdirSync(new URL('docs/findings/', root)).filter((name) => name !== 'README.md');
    expect(pages.sort()).toEqual(codes.map((code) => `${code}.md`).sort());
  });
});

describe('pages', () => {
  test.each(codes)('%s: says what it means, how to confirm and how to fix, and its history has it', (code) => {
    const page = readFileSync(new URL(pageOf(code), root), 'utf8');
    expect(page).toContain(FINDINGS[code].title);
    for (const heading of ['## What it means', '## How to confirm', '## How to fix', '## A small history']) expect(page).toContain(heading);
    const history = /```ndjson\n([\s\S]*?)```/.exec(page)?.[1]?.trim().split('\n') ?? [];
    const answer = auditRecords(history.map((line) => JSON.parse(line)));
    expect(answer.ok && answer.value.findings.map((finding) => finding.code)).toContain(code);
  });
});
