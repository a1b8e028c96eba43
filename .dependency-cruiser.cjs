/** Layer rules: data flows wire → decode → verdict → store → rollup → query → view, and nothing flows back. */
const CORE = '^lib/(base|resume|wire|audit|rollup|sse|incidents|replay|whatif|bundle|session-log|alerting|access)/';
const EDGE = '^lib/(config|postgres|store|query|intake|otlp|http|live|proxy|delivery|auditor)/';
const TEST = '\\.test\\.tsx?$';

module.exports = {
  forbidden: [
    {
      name: 'core-is-pure',
      comment: 'The core takes values and returns values: it imports only the core and pure libraries.',
      severity: 'error',
      from: { path: CORE, pathNot: TEST },
      to: { pathNot: [CORE, '^node_modules/typebox/'] },
    },
    { name: 'base-imports-nothing', severity: 'error', from: { path: '^lib/base/', pathNot: TEST }, to: { pathNot: '^lib/base/' } },
    {
      name: 'resume-knows-only-base',
      severity: 'error',
      from: { path: '^lib/resume/', pathNot: TEST },
      to: { pathNot: '^lib/(base|resume)/' },
    },
    { name: 'lib-never-view', severity: 'error', from: { path: '^(lib|db)/' }, to: { path: '^(app|components|server)/' } },
    {
      name: 'sql-lives-in-its-places',
      comment: 'Only store, query, live and the database folder speak SQL.',
      severity: 'error',
      from: {
        pathNot: ['^(db|lib/(store|query|live|postgres))/', '^server/', '^scripts/', '^tests/', '^bench/', TEST, '^drizzle\\.config\\.ts$'],
      },
      to: { path: ['^db/', '^node_modules/(postgres|pg|pg-copy-streams|drizzle-orm)/'] },
    },
    {
      name: 'redis-lives-in-its-place',
      comment: 'Only the Redis log store speaks to Redis; the rest of the proxy knows the interface of a log store.',
      severity: 'error',
      from: { path: '^(lib|app|components|db)/', pathNot: ['^lib/proxy/redis/', TEST] },
      to: { path: ['^lib/proxy/redis/', '^node_modules/ioredis/'] },
    },
    {
      name: 'view-touches-no-edge',
      comment: 'Pages and components may take types from the edge, never its code: they speak HTTP.',
      severity: 'error',
      from: { path: '^(app|components)/' },
      to: { path: EDGE, dependencyTypesNot: ['type-only'] },
    },
    { name: 'view-touches-no-db', severity: 'error', from: { path: '^(app|components)/' }, to: { path: '^(db|server)/' } },
    {
      name: 'nothing-imports-the-server',
      severity: 'error',
      from: { pathNot: ['^server/', '^tests/', '^scripts/', '^bench/'] },
      to: { path: '^server/' },
    },
    {
      name: 'packages-stand-alone',
      comment: 'A published package imports nothing of this repository.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src/', pathNot: TEST },
      to: { path: '^(app|components|lib|db|server)/' },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(\\.next|dist|node_modules/\\.cache)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
