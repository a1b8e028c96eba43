// Checks that the documents speak of what exists: cited paths, error codes, finding codes.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const FOLDERS = [
  'app',
  'bench',
  'bin',
  'components',
  'db',
  'demo',
  'docs',
  'lib',
  'packages',
  'public',
  'scripts',
  'server',
  'tests',
  '.ci',
];
const problems = [];
const documents = [
  ...markdownIn('.', false),
  ...markdownIn('docs', true),
  ...readdirSync('packages').map((name) => `packages/${name}/README.md`),
].filter((path) => existsSync(path));

for (const path of documents) {
  const text = readFileSync(path, 'utf8');
  for (const cited of citedPaths(text)) if (!existsSync(cited)) problems.push(`${path}: cites ${cited}, which does not exist`);
  for (const link of links(text)) {
    const target = normalize(join(dirname(path), link));
    if (!existsSync(target)) problems.push(`${path}: links to ${link}, which does not exist`);
  }
}

const all = documents.map((path) => readFileSync(path, 'utf8')).join('\n');
for (const code of errorCodes()) if (!all.includes(`\`${code}\``)) problems.push(`the error code ${code} is in no document`);
for (const code of findingCodes())
  if (!existsSync(`docs/findings/${code}.md`)) problems.push(`the finding ${code} has no page docs/findings/${code}.md`);

problems.push(...dutyProblems());

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
} else console.log(`${documents.length} documents checked`);

function markdownIn(folder, deep) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return deep ? markdownIn(path, true) : [];
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** Code spans that look like a path of this repository; patterns and placeholders are not paths. */
function citedPaths(text) {
  return [...text.matchAll(/`([^`\s]+)`/g)]
    .map(([, cited]) => cited.replace(/[:#].*$/, '').replace(/\/$/, ''))
    .filter((cited) => FOLDERS.some((folder) => cited.startsWith(`${folder}/`)) && !/[*<>{}…$]|\.\.\./.test(cited));
}

function links(text) {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link.replace(/#.*$/, ''))
    .filter((link) => link !== '' && !/^[a-z]+:/.test(link));
}

/** Codes as the sources declare them: keys of the API's table, members of the start-up unions. */
function errorCodes() {
  const table = readFileSync('lib/http/error-codes.ts', 'utf8');
  const unions = ['lib/postgres/embedded-postgres-error.ts', 'lib/config/config-problem.ts'].map((path) => readFileSync(path, 'utf8'));
  return [
    ...[...table.matchAll(/^ {2}([a-z_]+): \{/gm)].map(([, code]) => code),
    ...unions.flatMap((text) => [...text.matchAll(/'((?:postgres|config)_[a-z_]+)'/g)].map(([, code]) => code)),
  ];
}

function findingCodes() {
  const path = 'lib/audit/finding.ts';
  if (!existsSync(path)) return [];
  const groups = /FINDING_GROUPS = \{(.*?)\} as const/s.exec(readFileSync(path, 'utf8'))?.[1] ?? '';
  return [...groups.replace(/^ {2}('[^']*'|\w+): \[/gm, '').matchAll(/'([a-z_]+)'/g)].map(([, code]) => code);
}

/** The table of docs/proxy.md names a test that exists, for each duty of a proxy one between real clients and real servers too. */
function dutyProblems() {
  const rows = [...readFileSync('docs/proxy.md', 'utf8').matchAll(/^\| +(\d+) +\| (.+?) +\| `(tests\/[^`]+)` +\|$/gm)];
  const named = rows.map(([, duty, title, file]) => ({ duty: Number(duty), title, file }));
  const gone = named.filter(({ title, file }) => !existsSync(file) || !readFileSync(file, 'utf8').includes(`: ${title}'`));
  const real = new Set(named.filter(({ file }) => !file.endsWith('/transparent.test.ts')).map(({ duty }) => duty));
  const untested = Array.from({ length: 16 }, (_, i) => i + 1).filter((duty) => !real.has(duty));
  return [
    ...gone.map(({ duty, title, file }) => `docs/proxy.md: the test of duty ${duty} "${title}" is not in ${file}`),
    ...untested.map((duty) => `docs/proxy.md: duty ${duty} has no test between real clients and servers`),
  ];
}
