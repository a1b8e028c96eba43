import Type from 'typebox';
import { ROLES } from '@/lib/access/roles';
import { RuleInput } from '@/lib/alerting/rule';
import { literals } from '@/lib/wire/schema';
import { RETENTION_DAYS_MAX } from './retention';

/** Schema of the file that TIDEMARK_CONFIG names (docs/operations.md has an example). Unknown members are reported as warnings, not here. */
const LIST_MAX = 1000;
const DAY_MS = 86_400_000;

const name = Type.String({
  maxLength: 100,
  pattern: '^[A-Za-z0-9][A-Za-z0-9 ._-]*$',
  description: 'a name of 1 to 100 letters, digits, spaces, dots, dashes or underscores',
});
/** A route's name is a segment of its path. */
const routeName = Type.String({
  maxLength: 64,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
  description: 'a name of 1 to 64 letters, digits, dots, dashes or underscores',
});
const positive = (maximum: number) => Type.Integer({ minimum: 1, maximum, description: `an integer from 1 to ${maximum}` });
const httpUrl = Type.String({ pattern: '^https?://[^\\s/]+', maxLength: 2048, description: 'an http or https URL' });
const list = <T extends Type.TSchema>(items: T) =>
  Type.Array(items, { maxItems: LIST_MAX, description: `a list of at most ${LIST_MAX} entries` });

/** Milliseconds from a second to a day. */
const sinceSecond = Type.Integer({ minimum: 1000, maximum: DAY_MS, description: `an integer from 1000 to ${DAY_MS}` });

const Route = Type.Object(
  {
    name: routeName,
    upstream: httpUrl,
    upstream_ca: Type.Optional(Type.String({ minLength: 1, maxLength: 4096, description: 'the path of a PEM file' })),
    mode: Type.Optional(literals(['shadow', 'canary', 'enforce'])),
    canary_percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100, description: 'a number from 0 to 100' })),
    replay: Type.Optional(literals(['upstream', 'proxy'])),
    refusal: Type.Optional(literals(['status', 'terminal_error', 'auto'])),
    floor: Type.Optional(literals(['successor', 'retained'])),
    buffer: Type.Optional(
      Type.Object(
        {
          events: Type.Optional(positive(10_000_000)),
          bytes: Type.Optional(positive(2 ** 40)),
          ttl_ms: Type.Optional(positive(30 * DAY_MS)),
          session_bytes: Type.Optional(positive(2 ** 40)),
        },
        { description: 'an object' },
      ),
    ),
    client_stall_ms: Type.Optional(sinceSecond),
    upstream_silence_ms: Type.Optional(sinceSecond),
    heartbeat_ms: Type.Optional(sinceSecond),
    credential_headers: Type.Optional(
      Type.Array(
        Type.String({
          pattern: "^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}|[Cc][Oo][Oo][Kk][Ii][Ee]:[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128})$",
          description: 'a header name, or cookie: and the name of a cookie',
        }),
        { minItems: 1, maxItems: 16, description: 'a list of 1 to 16 header names' },
      ),
    ),
    sessionless_cursors: Type.Optional(literals(['refuse', 'pass'])),
    body_bytes: Type.Optional(positive(2 ** 40)),
    instance_header: Type.Optional(Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$", description: 'a header name' })),
    server: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'a server name of 1 to 256 characters' })),
    telemetry: Type.Optional(literals(['everything', 'flight', 'sampled'])),
    telemetry_percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100, description: 'a number from 0 to 100' })),
  },
  { description: 'an object with name and upstream' },
);

const Channel = Type.Object(
  {
    name,
    type: literals(['webhook', 'pagerduty', 'slack', 'alertmanager', 'email']),
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      pattern: '^(https?|smtps?)://[^\\s/]+',
      description: 'an http, https, smtp or smtps URL',
    }),
    secret: Type.Optional(Type.String({ minLength: 1, maxLength: 4096, description: 'a secret of 1 to 4,096 characters' })),
  },
  { description: 'an object with name, type and url' },
);

const Key = Type.Object(
  {
    name,
    key: Type.String({
      minLength: 1,
      maxLength: 512,
      pattern: '^[\\x21-\\x7e]+$',
      description: 'a key of 1 to 512 printable ASCII characters',
    }),
    scopes: Type.Optional(Type.Array(name, { maxItems: 16, description: 'at most 16 scope names' })),
  },
  { description: 'an object with name and key' },
);

const Oidc = Type.Object(
  {
    name,
    issuer: httpUrl,
    client_id: Type.String({ minLength: 1, maxLength: 512, description: 'text of 1 to 512 characters' }),
    client_secret: Type.Optional(Type.String({ minLength: 1, maxLength: 4096, description: 'a secret of 1 to 4,096 characters' })),
    scopes: Type.Optional(
      Type.Array(Type.String({ pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,128}$', description: 'a scope' }), {
        maxItems: 20,
        description: 'at most 20 scopes',
      }),
    ),
    newcomers: Type.Optional(literals(ROLES)),
  },
  { description: 'an object with name, issuer and client_id' },
);

export const ConfigFile = Type.Object(
  {
    proxy: Type.Optional(
      Type.Object(
        {
          routes: Type.Optional(list(Route)),
          memory_bytes: Type.Optional(
            Type.Integer({ minimum: 1_048_576, maximum: 2 ** 40, description: 'an integer from 1048576 to 1099511627776' }),
          ),
          allowed_hosts: Type.Optional(
            list(
              Type.String({ pattern: '^[a-z0-9.-]{1,253}$|^\\[[0-9a-f:]+\\]$', description: 'a host name in lower case, without port' }),
            ),
          ),
          allowed_origins: Type.Optional(
            list(
              Type.String({ pattern: '^https?://[a-z0-9.:\\[\\]-]{1,260}$', description: 'an origin such as https://inspector.example' }),
            ),
          ),
        },
        { description: 'an object' },
      ),
    ),
    alerts: Type.Optional(
      Type.Object(
        {
          channels: Type.Optional(list(Channel)),
          rules: Type.Optional(list(RuleInput)),
          public_url: Type.Optional(httpUrl),
          allow_private_targets: Type.Optional(
            list(Type.String({ pattern: '^[0-9a-fA-F.:]+(/[0-9]{1,3})?$', description: 'an address range such as 127.0.0.1/32' })),
          ),
        },
        { description: 'an object' },
      ),
    ),
    keys: Type.Optional(list(Key)),
    sign_in: Type.Optional(Type.Object({ oidc: Type.Optional(Oidc) }, { description: 'an object' })),
    replay: Type.Optional(
      Type.Object(
        { targets: Type.Optional(list(Type.Object({ name, url: httpUrl }, { description: 'an object with name and url' }))) },
        { description: 'an object' },
      ),
    ),
    retention: Type.Optional(
      Type.Object(
        { records_days: positive(RETENTION_DAYS_MAX), rollups_days: Type.Optional(positive(RETENTION_DAYS_MAX)) },
        { description: 'an object with records_days' },
      ),
    ),
  },
  { description: 'an object' },
);
