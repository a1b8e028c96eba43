import Type from 'typebox';
import { DELIVERY_STATES, DeliveryDetail, DeliveryPage } from '@/lib/alerting/answer-schema';
import { HttpError, invalidField } from '@/lib/http/http-error';
import { QueryReader } from '@/lib/http/query-reader';
import { ok, type Route } from '@/lib/http/route';
import { queryDeliveries, queryDelivery } from '@/lib/query/alerting-log';
import { decodePageCursor } from '@/lib/query/page-cursor';
import { resendDelivery } from '@/lib/store/alerting-outbox';
import type { AlertingContext } from '@/server/alerting-context';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const LIMIT_MAX = 500;

/** The delivery log. */
export function deliveryRoutes({ sql, now, wakeWorker }: AlertingContext): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/alerts/deliveries',
      summary: 'Messages that were sent, wait or were given up, newest first',
      query: Type.Object({
        channel: Type.Optional(Type.String()),
        rule: Type.Optional(Type.String()),
        state: Type.Optional(Type.String({ description: `one or more of ${DELIVERY_STATES.join(', ')}` })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX })),
        cursor: Type.Optional(Type.String()),
      }),
      answers: { 200: DeliveryPage },
      errors: ['invalid_field'],
      handle: async ({ query }) => {
        const reader = new QueryReader(query);
        const cursor = reader.text('cursor');
        const after = cursor === null ? null : decodePageCursor(cursor);
        if (cursor !== null && after === null) throw invalidField('cursor', 'must be the text that the page before gave as next');
        const filter = { channel: reader.text('channel'), rule: reader.text('rule'), states: reader.oneOfEach('state', DELIVERY_STATES) };
        return ok(await queryDeliveries(sql, filter, reader.integer('limit', 100, 1, LIMIT_MAX), after));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/alerts/deliveries/{id}',
      summary: 'One message with its body and every attempt to deliver it',
      answers: { 200: DeliveryDetail },
      errors: ['not_found'],
      handle: async ({ params }) => {
        const id = params['id'] ?? '';
        const delivery = UUID.test(id) ? await queryDelivery(sql, id) : null;
        if (delivery === null) throw new HttpError('not_found', 'there is no delivery of this id');
        return ok(delivery);
      },
    },
    {
      method: 'POST',
      path: '/api/v1/alerts/deliveries/{id}/resend',
      summary: 'Sends a message again, under the same id',
      scope: 'operate',
      answers: { 202: Type.Object({ queued: Type.Boolean() }) },
      errors: ['not_found'],
      handle: async ({ params }) => {
        const id = params['id'] ?? '';
        if (!UUID.test(id) || !(await resendDelivery(sql, id, now()))) {
          throw new HttpError('not_found', 'there is no delivery of this id that is not waiting already');
        }
        wakeWorker();
        return { status: 202, body: { queued: true } };
      },
    },
  ];
}
