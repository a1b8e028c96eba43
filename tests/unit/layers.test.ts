import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const CRUISE = resolve('node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

interface Summary {
  readonly totalCruised: number;
  readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
}

/** One planted edge each: its file, what it imports, and the rule that must name it; null where none may. */
const PLANTED = [
  { name: 'the core reads a file', file: 'lib/resume/reads.ts', imports: 'node:fs', rule: 'core-is-pure' },
  { name: 'the core reaches the edge', file: 'lib/wire/reaches.ts', imports: '@/lib/http/target', rule: 'core-is-pure' },
  {
    name: 'the rules know more than their base',
    file: 'lib/resume/knows.ts',
    imports: '@/lib/wire/target',
    rule: 'resume-knows-only-base',
  },
  { name: 'SQL outside its places', file: 'lib/http/queries.ts', imports: '@/db/target', rule: 'sql-lives-in-its-places' },
  { name: 'a library imports a view', file: 'lib/query/shows.ts', imports: '@/app/target', rule: 'lib-never-view' },
  { name: 'a view runs code of the edge', file: 'components/runs.ts', imports: '@/lib/http/target', rule: 'view-touches-no-edge' },
  { name: 'a circle', file: 'lib/http/circle-back.ts', imports: './circle', rule: 'no-circular' },
  { name: 'the core uses its base', file: 'lib/wire/uses.ts', imports: '@/lib/base/target', rule: null },
];
const TARGETS = ['lib/http/target.ts', 'lib/wire/target.ts', 'lib/base/target.ts', 'db/target.ts', 'app/target.ts'];

let tree: string;
let planted: Summary;

beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'tidemark-layers-'));
  for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json']) copyFileSync(file, join(tree, file));
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
  for (const path of TARGETS) plant(path, 'export {};\n');
  for (const { file, imports } of PLANTED) plant(file, `import '${imports}';\n`);
  plant('lib/http/circle.ts', "import './circle-back';\n");
  planted = cruise(tree, ['lib', 'db', 'app', 'components']);
});

afterAll(() => rmSync(tree, { recursive: true, force: true }));

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), text);
}

/** Runs the check with the project's own rules. */
function cruise(cwd: string, folders: readonly string[]): Summary {
  const run = spawnSync(process.execPath, [CRUISE, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...folders], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return (JSON.parse(run.stdout) as { summary: Summary }).summary;
}

test('the check really reads the modules of this project, and they keep the rules', () => {
  const { totalCruised, violations } = cruise(process.cwd(), ['lib/base', 'lib/resume', 'lib/wire']);
  expect(totalCruised).toBeGreaterThan(15);
  expect(violations).toEqual([]);
});

test.each(PLANTED)('a planted edge is judged by its rule: $name', ({ file, rule }) => {
  const rules = planted.violations.filter(({ from }) => from === file).map((violation) => violation.rule.name);
  if (rule === null) expect(rules).toEqual([]);
  else expect(rules).toContain(rule);
});
