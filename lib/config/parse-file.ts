import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { err, ok, type Result } from '@/lib/base/result';
import { isAddressRange } from '@/lib/delivery/address-guard';
import { SCOPES, type Scope } from '@/lib/http/caller';
import { allProblems } from '@/lib/wire/field-problem';
import type { Config, RouteConfig } from './config';
import type { ConfigProblem } from './config-problem';
import { ConfigFile } from './file-schema';
import { openIssuer, toOidc } from './oidc';
import { readText } from './read-text';
import { RETENTION_DEFAULT, type Retention } from './retention';

type FileContent = Static<typeof ConfigFile>;
type RouteContent = NonNullable<NonNullable<FileContent['proxy']>['routes']>[number];

/** What the file adds to the configuration. */
export type FileConfig = Pick<
  Config,
  'routes' | 'proxyMemoryBytes' | 'proxyHosts' | 'proxyOrigins' | 'alerts' | 'keys' | 'oidc' | 'replayTargets' | 'retention' | 'warnings'
>;

const SHORT_KEY_CHARS = 16;
const PROXY_MEMORY_DEFAULT = 512 * 1024 * 1024;
const BODY_BYTES_DEFAULT = 64 * 1024 * 1024;
const BUFFER_DEFAULT = { events: 10_000, bytes: 16 * 1024 * 1024, ttlMs: 3_600_000 } as const;

export const EMPTY_FILE: FileConfig = {
  routes: [],
  proxyMemoryBytes: PROXY_MEMORY_DEFAULT,
  proxyHosts: [],
  proxyOrigins: [],
  alerts: { channels: [], rules: [], allowPrivateTargets: [], publicUrl: null },
  keys: [],
  oidc: null,
  replayTargets: [],
  retention: null,
  warnings: [],
};

const validator = Compile(ConfigFile);

/** Reads the text of the configuration file; reports every problem, with the path of its field and never a secret's value. */
export function parseConfigFile(text: string): Result<FileConfig, readonly ConfigProblem[]> {
  const read = readText(text);
  if (!read.ok) return err([placed(invalid('TIDEMARK_CONFIG', `the file ${read.error.message}`), read.error.line)]);
  const { value, lineOf } = read.value;
  const located = (problem: ConfigProblem): ConfigProblem => placed(problem, lineOf(problem.path));
  if (!validator.Check(value)) {
    return err(
      allProblems(validator, ConfigFile, value).map(({ path, message }) =>
        path === '' ? invalid('TIDEMARK_CONFIG', message) : located(invalid(path, message)),
      ),
    );
  }
  const problems = [
    ...repeatedNames(value),
    ...unknownChannels(value),
    ...unfitChannels(value),
    ...unreadableTargets(value),
    ...unfitReplayTargets(value),
    ...ownServers(value),
    ...unfitUpstreams(value),
    ...unfitRetention(value),
    ...openIssuer(value),
  ];
  return problems.length > 0 ? err(problems.map(located)) : ok(toConfig(value));
}

const placed = (problem: ConfigProblem, line: number | null): ConfigProblem => (line === null ? problem : { ...problem, line });

const invalid = (path: string, message: string): ConfigProblem => ({ code: 'config_invalid', path, message });

function unfitRetention({ retention }: FileContent): ConfigProblem[] {
  const { records_days, rollups_days } = retention ?? {};
  if (records_days === undefined || rollups_days === undefined || rollups_days >= records_days) return [];
  return [invalid('retention.rollups_days', 'must not be fewer than records_days')];
}

function toRetention({ retention }: FileContent): Retention | null {
  if (retention === undefined) return null;
  const { records_days: recordsDays, rollups_days: rollupsDays } = retention;
  return { recordsDays, rollupsDays: rollupsDays ?? Math.max(recordsDays, RETENTION_DEFAULT.rollupsDays) };
}

function repeatedNames(file: FileContent): ConfigProblem[] {
  const lists: readonly [string, readonly { name: string }[]][] = [
    ['proxy.routes', file.proxy?.routes ?? []],
    ['alerts.channels', file.alerts?.channels ?? []],
    ['alerts.rules', file.alerts?.rules ?? []],
    ['keys', file.keys ?? []],
    ['replay.targets', file.replay?.targets ?? []],
  ];
  return lists.flatMap(([path, entries]) =>
    entries.flatMap(({ name }, index) =>
      entries.findIndex((other) => other.name === name) < index
        ? [invalid(`${path}[${index}].name`, 'repeats the name of an earlier entry')]
        : [],
    ),
  );
}

function unknownChannels(file: FileContent): ConfigProblem[] {
  const known = new Set(file.alerts?.channels?.map(({ name }) => name));
  return (file.alerts?.rules ?? []).flatMap((rule, index) =>
    (['channels', 'escalate.channels'] as const).flatMap((member) =>
      ((member === 'channels' ? rule.channels : rule.escalate?.channels) ?? []).flatMap((channel, position) =>
        known.has(channel) ? [] : [invalid(`alerts.rules[${index}].${member}[${position}]`, 'names no channel of alerts.channels')],
      ),
    ),
  );
}

/** PagerDuty has no way in without its routing key, and mail goes by SMTP, anything else by HTTP. */
function unfitChannels(file: FileContent): ConfigProblem[] {
  return (file.alerts?.channels ?? []).flatMap(({ type, url, secret }, index) => {
    const place = `alerts.channels[${index}]`;
    const isMail = type === 'email';
    return [
      ...(type === 'pagerduty' && secret === undefined ? [invalid(`${place}.secret`, 'is required: the routing key')] : []),
      ...(isMail === url.startsWith('smtp')
        ? []
        : [invalid(`${place}.url`, isMail ? 'must be an smtp or smtps URL' : 'must be an http or https URL')]),
      ...(URL.canParse(url) ? [] : [invalid(`${place}.url`, 'must be a URL')]),
    ];
  });
}

function unreadableTargets(file: FileContent): ConfigProblem[] {
  return (file.alerts?.allow_private_targets ?? []).flatMap((range, index) =>
    isAddressRange(range) ? [] : [invalid(`alerts.allow_private_targets[${index}]`, 'must be an address range such as 127.0.0.1/32')],
  );
}

/** A route reports under its own name: what it would hear there is itself. */
function ownServers(file: FileContent): ConfigProblem[] {
  const routes = file.proxy?.routes ?? [];
  const names = new Set(routes.map(({ name }) => name));
  return routes.flatMap(({ server }, index) =>
    server !== undefined && names.has(server)
      ? [
          invalid(
            `proxy.routes[${index}].server`,
            'is the name of a route, under which the proxy itself reports: name the server as its own telemetry does',
          ),
        ]
      : [],
  );
}

/** Certificates of an upstream that shows none would be a promise that nobody keeps. */
function unfitUpstreams(file: FileContent): ConfigProblem[] {
  return (file.proxy?.routes ?? []).flatMap(({ upstream, upstream_ca: ca }, index) => [
    ...unfitAddress(`proxy.routes[${index}].upstream`, upstream, 'clients send their own credentials'),
    ...(ca !== undefined && !upstream.startsWith('https:')
      ? [invalid(`proxy.routes[${index}].upstream_ca`, 'needs an https upstream')]
      : []),
  ]);
}

function unfitReplayTargets(file: FileContent): ConfigProblem[] {
  return (file.replay?.targets ?? []).flatMap(({ url }, index) =>
    unfitAddress(`replay.targets[${index}].url`, url, 'send a header with the replay'),
  );
}

/** A user or password in an address would be shown with it. */
function unfitAddress(place: string, url: string, instead: string): ConfigProblem[] {
  if (!URL.canParse(url)) return [invalid(place, 'must be a URL')];
  const { username, password } = new URL(url);
  return username === '' && password === '' ? [] : [invalid(place, `must not carry a user or password: ${instead}`)];
}

function toConfig(file: FileContent): FileConfig {
  const keys = (file.keys ?? []).map(({ name, key, scopes }) => ({ name, key, scopes: knownScopes(scopes) }));
  const short = keys.filter(({ key }) => key.length < SHORT_KEY_CHARS);
  return {
    routes: (file.proxy?.routes ?? []).map(toRoute),
    proxyMemoryBytes: file.proxy?.memory_bytes ?? PROXY_MEMORY_DEFAULT,
    proxyHosts: file.proxy?.allowed_hosts ?? [],
    proxyOrigins: file.proxy?.allowed_origins ?? [],
    alerts: {
      channels: (file.alerts?.channels ?? []).map((channel) => ({ ...channel, secret: channel.secret ?? null })),
      rules: file.alerts?.rules ?? [],
      allowPrivateTargets: file.alerts?.allow_private_targets ?? [],
      publicUrl: file.alerts?.public_url?.replace(/\/+$/, '') ?? null,
    },
    keys,
    oidc: toOidc(file),
    replayTargets: file.replay?.targets ?? [],
    retention: toRetention(file),
    warnings: [
      ...unknownMembers(file, ConfigFile, '').map((path) => `${path} is not a known member and is ignored`),
      ...(file.keys ?? []).flatMap(({ name, scopes = [] }) =>
        scopes
          .filter((scope) => !isScope(scope))
          .map((scope) => `the key "${name}" has a scope "${scope}", which is none of ${SCOPES.join(', ')} and grants nothing`),
      ),
      ...short.map(({ name }) => `the key "${name}" is shorter than ${SHORT_KEY_CHARS} characters and can be guessed`),
    ],
  };
}

/** A key without a list of scopes may do everything. */
function knownScopes(scopes: readonly string[] | undefined): readonly Scope[] {
  return scopes === undefined || scopes.length === 0 ? ['admin'] : scopes.filter(isScope);
}

const isScope = (text: string): text is Scope => SCOPES.some((scope) => scope === text);

/** In one order and once each, so that it makes no difference how they are listed. A cookie's name keeps its case. */
function credentialHeaders(names: readonly string[] = ['authorization']): string[] {
  const known = names.map((name) => name.replace(/^[^:]+/, (header) => header.toLowerCase()));
  return [...new Set(known)].sort();
}

const CLIENT_STALL_DEFAULT_MS = 120_000;

function toLiveness(route: RouteContent): Pick<RouteConfig, 'clientStallMs' | 'upstreamSilenceMs' | 'heartbeatMs'> {
  return {
    clientStallMs: route.client_stall_ms ?? CLIENT_STALL_DEFAULT_MS,
    upstreamSilenceMs: route.upstream_silence_ms ?? null,
    heartbeatMs: route.heartbeat_ms ?? null,
  };
}

function toBuffer({ events, bytes, ttl_ms, session_bytes }: NonNullable<RouteContent['buffer']> = {}): RouteConfig['buffer'] {
  const streamBytes = bytes ?? BUFFER_DEFAULT.bytes;
  return {
    events: events ?? BUFFER_DEFAULT.events,
    bytes: streamBytes,
    ttlMs: ttl_ms ?? BUFFER_DEFAULT.ttlMs,
    sessionBytes: session_bytes ?? 4 * streamBytes,
  };
}

function toRoute(route: RouteContent): RouteConfig {
  return {
    name: route.name,
    upstream: route.upstream,
    upstreamCaFile: route.upstream_ca ?? null,
    upstreamCa: null,
    mode: route.mode ?? 'shadow',
    canaryPercent: route.canary_percent ?? 10,
    replay: route.replay ?? 'upstream',
    refusal: route.refusal ?? 'status',
    floor: route.floor ?? 'successor',
    buffer: toBuffer(route.buffer),
    ...toLiveness(route),
    credentialHeaders: credentialHeaders(route.credential_headers),
    sessionlessCursors: route.sessionless_cursors ?? 'refuse',
    bodyBytesMax: route.body_bytes ?? BODY_BYTES_DEFAULT,
    instanceHeader: route.instance_header?.toLowerCase() ?? null,
    server: route.server ?? null,
    telemetry: route.telemetry ?? 'everything',
    telemetryPercent: route.telemetry_percent ?? 10,
  };
}

function unknownMembers(value: unknown, schema: TSchema, path: string): string[] {
  if (Array.isArray(value)) {
    const items = 'items' in schema ? schema.items : undefined;
    return isSchema(items) ? value.flatMap((entry: unknown, index) => unknownMembers(entry, items, `${path}[${index}]`)) : [];
  }
  if (typeof value !== 'object' || value === null || !('properties' in schema)) return [];
  const properties = new Map(Object.entries(schema.properties ?? {}));
  return Object.entries(value).flatMap(([member, inner]: [string, unknown]) => {
    const known: unknown = properties.get(member);
    const place = path === '' ? member : `${path}.${member}`;
    return isSchema(known) ? unknownMembers(inner, known, place) : [place];
  });
}

const isSchema = (value: unknown): value is TSchema => typeof value === 'object' && value !== null;
