import { randomBytes } from 'node:crypto';
import Type from 'typebox';
import { type ChannelItem, ChannelList } from '@/lib/alerting/answer-schema';
import { CHANNEL_TYPES } from '@/lib/alerting/render';
import { type ChannelEntry, targetOf } from '@/lib/delivery/alert-registry';
import type { Channel } from '@/lib/delivery/channel';
import { HttpError, invalidField } from '@/lib/http/http-error';
import { type Call, ok, type Route } from '@/lib/http/route';
import { type EndpointStanding, queryEndpoints } from '@/lib/query/alerting-state';
import type { Asked } from '@/lib/store/alerting-admin';
import { addDeliveries, enableEndpoint, ensureEndpoints } from '@/lib/store/alerting-outbox';
import { literals } from '@/lib/wire/schema';
import type { AlertingContext } from '@/server/alerting-context';
import { decodeBody } from '@/server/api/decode-body';

const ChannelInput = Type.Object(
  {
    type: literals(CHANNEL_TYPES),
    url: Type.String({ maxLength: 2048, pattern: '^(https?|smtps?)://', description: 'an http(s) or smtp(s) URL' }),
    secret: Type.Optional(Type.Union([Type.Null(), Type.String({ minLength: 1, maxLength: 512 })], { description: 'a secret or null' })),
  },
  { description: 'a channel' },
);
const RotateInput = Type.Object({
  overlap_s: Type.Optional(Type.Integer({ minimum: 0, maximum: 7 * 86_400, description: 'seconds from 0 to 604800' })),
});
const NAME = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}$/;
const SECRET_BYTES = 32;
const OVERLAP_S = 86_400;
const Secret = Type.Object({ name: Type.String(), secret: Type.Union([Type.Null(), Type.String()]) });

/** Channels. A secret is shown once, in the answer that made it, and never again. */
export function channelRoutes(context: AlertingContext): Route[] {
  return [...setupRoutes(context), ...operationRoutes(context)];
}

function setupRoutes({ sql, registry, setup, now }: AlertingContext): Route[] {
  const askedBy = ({ caller }: Call): Asked => ({ atMs: now(), actor: caller.name });
  return [
    {
      method: 'GET',
      path: '/api/v1/alerts/channels',
      summary: 'Channels, without their secrets, and how they fare',
      answers: { 200: ChannelList },
      handle: async () => {
        const [entries, endpoints] = await Promise.all([registry.channelEntries(), queryEndpoints(sql)]);
        return ok({ items: [...entries.values()].map((entry) => channelItem(entry, endpoints.get(entry.channel.name))) });
      },
    },
    {
      method: 'PUT',
      path: '/api/v1/alerts/channels/{name}',
      summary: 'Makes or changes a channel; a webhook without a secret gets one',
      body: { 'application/json': ChannelInput },
      answers: { 200: Secret },
      errors: ['malformed_json', 'invalid_field', 'provisioned'],
      handle: async (call) => {
        const name = call.params['name'] ?? '';
        if (!NAME.test(name)) throw invalidField('name', 'must be 1 to 100 letters, digits, spaces, dots, dashes or underscores');
        const input = await decodeBody(call, ChannelInput);
        const known = (await registry.channelEntries()).get(name);
        refuseProvisioned(known);
        const channel = channelOf(name, input, known?.channel ?? null);
        await setup.putChannel({ name, type: channel.type, sealed: registry.sealed(channel) }, askedBy(call));
        await ensureEndpoints(sql, new Map([[name, targetOf(channel)]]));
        const isNew = channel.secret !== null && channel.secret !== known?.channel.secret && input.secret === undefined;
        return ok({ name, secret: isNew ? channel.secret : null });
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/alerts/channels/{name}',
      summary: 'Removes a channel; what waits for it is given up',
      answers: { 200: Type.Object({ deleted: Type.Boolean() }) },
      errors: ['not_found', 'provisioned'],
      handle: async (call) => {
        const { channel } = await entryOf(registry, call);
        await setup.deleteChannel(channel.name, askedBy(call));
        return ok({ deleted: true });
      },
    },
    {
      method: 'POST',
      path: '/api/v1/alerts/channels/{name}/rotate',
      summary: 'Gives a webhook a new secret; both sign until the old one ends',
      body: { 'application/json': RotateInput },
      answers: { 200: Secret },
      errors: ['malformed_json', 'invalid_field', 'not_found', 'provisioned'],
      handle: async (call) => {
        const { channel } = await entryOf(registry, call);
        if (channel.type !== 'webhook')
          throw invalidField('type', 'must be webhook: other channels are given their secrets by the receiver');
        const { overlap_s } = await decodeBody(call, RotateInput);
        const previous = channel.secret === null ? null : { secret: channel.secret, untilMs: now() + (overlap_s ?? OVERLAP_S) * 1000 };
        const rotated = { ...channel, secret: newSecret(), previous };
        await setup.putChannel(
          { name: channel.name, type: channel.type, sealed: registry.sealed(rotated) },
          askedBy(call),
          'secret_rotated',
        );
        return ok({ name: channel.name, secret: rotated.secret });
      },
    },
  ];
}

function operationRoutes({ sql, transactions, registry, composer, now, wakeWorker }: AlertingContext): Route[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/alerts/channels/{name}/test',
      summary: 'Sends a test message the way every alert goes; the delivery log says what came of it',
      scope: 'operate',
      answers: { 202: Type.Object({ delivery: Type.String() }) },
      errors: ['not_found'],
      handle: async ({ params }) => {
        const channel = (await registry.channels()).get(params['name'] ?? '');
        const delivery = channel === undefined ? null : composer.test(channel, now());
        if (channel === undefined || delivery === null) throw unknownChannel();
        await ensureEndpoints(sql, new Map([[channel.name, targetOf(channel)]]));
        await transactions.run((tx) => addDeliveries(tx, [delivery], now()));
        wakeWorker();
        return { status: 202, body: { delivery: delivery.id } };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/alerts/channels/{name}/enable',
      summary: 'Lets a channel that is disabled or paused be tried again at once',
      scope: 'operate',
      answers: { 200: Type.Object({ enabled: Type.Boolean() }) },
      errors: ['not_found'],
      handle: async ({ params }) => {
        if (!(await enableEndpoint(sql, params['name'] ?? ''))) throw unknownChannel();
        wakeWorker();
        return ok({ enabled: true });
      },
    },
  ];
}

const unknownChannel = (): HttpError => new HttpError('not_found', 'there is no channel of this name');

async function entryOf(registry: AlertingContext['registry'], { params }: Call): Promise<ChannelEntry> {
  const entry = (await registry.channelEntries()).get(params['name'] ?? '');
  if (entry === undefined) throw unknownChannel();
  refuseProvisioned(entry);
  return entry;
}

function refuseProvisioned(entry: ChannelEntry | undefined): void {
  if (entry?.origin === 'config') throw new HttpError('provisioned', 'this channel is set in the configuration file');
}

const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

/** A secret that is left out stays as it is, or is made where a webhook has none. */
function channelOf(name: string, input: Type.Static<typeof ChannelInput>, known: Channel | null): Channel {
  const isMail = input.type === 'email';
  if (isMail !== input.url.startsWith('smtp')) throw invalidField('url', isMail ? 'must be an smtp(s) URL' : 'must be an http(s) URL');
  if (!URL.canParse(input.url)) throw invalidField('url', 'must be a URL');
  const isSameType = known?.type === input.type;
  const kept = isSameType ? known.secret : null;
  const made = input.type === 'webhook' ? newSecret() : null;
  const secret = input.secret === undefined ? (kept ?? made) : input.secret;
  if (input.type === 'pagerduty' && secret === null) throw invalidField('secret', 'is required: the routing key');
  return { name, type: input.type, url: input.url, secret, previous: isSameType ? known.previous : null };
}

/** The address is shown only as far as it holds no secret: paths and queries of hooks are credentials. */
function channelItem({ channel, origin }: ChannelEntry, endpoint: EndpointStanding | undefined): ChannelItem {
  const url = new URL(channel.url);
  return {
    name: channel.name,
    type: channel.type,
    target: `${url.protocol}//${url.host}`,
    origin,
    is_read_only: origin === 'config',
    has_secret: channel.secret !== null,
    rotating_until: channel.previous === null ? null : new Date(channel.previous.untilMs).toISOString(),
    failures: endpoint?.failures ?? 0,
    paused_until: endpoint?.notBefore ?? null,
    disabled_reason: endpoint?.disabledReason ?? null,
    waiting: endpoint?.waiting ?? 0,
    dead: endpoint?.dead ?? 0,
  };
}
