import Type from 'typebox';
import { Compile } from 'typebox/compile';

/**
 * The shapes that receivers publish, written down from their documentation and closed against unknown members
 * where the receiver's own documentation lists them all.
 *
 * PagerDuty: the OpenAPI document `reference/events-v2/openapiv3.json` of github.com/PagerDuty/api-schema, with the
 * limits and the rules of `resolve` from the Events API v2 guide. Alertmanager: `Data` and `Alert` of `template/template.go`
 * and `Message` of `notify/webhook/webhook.go` in github.com/prometheus/alertmanager. Slack: the Block Kit reference.
 */
const closed = { additionalProperties: false } as const;
const Instant = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$' });
const Labels = Type.Record(Type.String({ pattern: '^[a-zA-Z_][a-zA-Z0-9_]*$' }), Type.String());
const oneOf = (...values: string[]) => Type.Union(values.map((value) => Type.Literal(value)));

/** PagerDuty Events API v2, `POST /v2/enqueue`. */
export const pagerDutyEvent = Compile(
  Type.Union([
    Type.Object(
      {
        routing_key: Type.String({ minLength: 32, maxLength: 32 }),
        event_action: Type.Literal('trigger'),
        dedup_key: Type.Optional(Type.String({ maxLength: 255 })),
        client: Type.Optional(Type.String()),
        client_url: Type.Optional(Type.String()),
        links: Type.Optional(
          Type.Array(Type.Object({ href: Type.String({ pattern: '^https?://' }), text: Type.Optional(Type.String()) }, closed)),
        ),
        images: Type.Optional(
          Type.Array(Type.Object({ src: Type.String(), href: Type.Optional(Type.String()), alt: Type.Optional(Type.String()) }, closed)),
        ),
        payload: Type.Object(
          {
            summary: Type.String({ minLength: 1, maxLength: 1024 }),
            source: Type.String({ minLength: 1 }),
            severity: oneOf('critical', 'error', 'warning', 'info'),
            timestamp: Type.Optional(Instant),
            component: Type.Optional(Type.String()),
            group: Type.Optional(Type.String()),
            class: Type.Optional(Type.String()),
            custom_details: Type.Optional(Type.Object({})),
          },
          closed,
        ),
      },
      closed,
    ),
    Type.Object(
      {
        routing_key: Type.String({ minLength: 32, maxLength: 32 }),
        event_action: oneOf('acknowledge', 'resolve'),
        dedup_key: Type.String({ minLength: 1, maxLength: 255 }),
      },
      closed,
    ),
  ]),
);

/** Alertmanager's webhook body, version 4. */
export const alertmanagerBody = Compile(
  Type.Object(
    {
      version: Type.Literal('4'),
      groupKey: Type.String({ minLength: 1 }),
      truncatedAlerts: Type.Integer({ minimum: 0 }),
      status: oneOf('firing', 'resolved'),
      receiver: Type.String({ minLength: 1 }),
      groupLabels: Labels,
      commonLabels: Labels,
      commonAnnotations: Labels,
      externalURL: Type.String({ pattern: '^https?://' }),
      alerts: Type.Array(
        Type.Object(
          {
            status: oneOf('firing', 'resolved'),
            labels: Labels,
            annotations: Labels,
            startsAt: Instant,
            endsAt: Instant,
            generatorURL: Type.String({ pattern: '^https?://' }),
            fingerprint: Type.String({ pattern: '^[0-9a-f]{16}$' }),
          },
          closed,
        ),
        { minItems: 1 },
      ),
    },
    closed,
  ),
);

const plainText = (maxLength: number) =>
  Type.Object(
    { type: Type.Literal('plain_text'), text: Type.String({ minLength: 1, maxLength }), emoji: Type.Optional(Type.Boolean()) },
    closed,
  );
const markdown = Type.Object({ type: Type.Literal('mrkdwn'), text: Type.String({ minLength: 1, maxLength: 3000 }) }, closed);

/** The blocks of Slack's Block Kit that a message here uses, with their limits. */
export const slackMessage = Compile(
  Type.Object(
    {
      text: Type.String({ minLength: 1, maxLength: 40_000 }),
      blocks: Type.Array(
        Type.Union([
          Type.Object({ type: Type.Literal('header'), text: plainText(150) }, closed),
          Type.Object({ type: Type.Literal('section'), text: markdown }, closed),
          Type.Object({ type: Type.Literal('context'), elements: Type.Array(markdown, { minItems: 1, maxItems: 10 }) }, closed),
          Type.Object(
            {
              type: Type.Literal('actions'),
              elements: Type.Array(
                Type.Object(
                  { type: Type.Literal('button'), text: plainText(75), url: Type.String({ pattern: '^https?://', maxLength: 3000 }) },
                  closed,
                ),
                { minItems: 1, maxItems: 25 },
              ),
            },
            closed,
          ),
        ]),
        { minItems: 1, maxItems: 50 },
      ),
    },
    closed,
  ),
);
