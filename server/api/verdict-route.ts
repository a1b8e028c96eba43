import { parseJsonExactly } from '@/lib/base/json';
import { HttpError, invalidField } from '@/lib/http/http-error';
import { ok, type RequestBody, type Route } from '@/lib/http/route';
import { decide } from '@/lib/resume/decide';
import { encodeDecision } from '@/lib/wire/encode-decision';
import { DecisionBody } from '@/lib/wire/responses';
import { decodeVerdictRequest, VerdictRequest } from '@/lib/wire/verdict-request';

export const verdictRoute: Route = {
  method: 'POST',
  path: '/api/v1/verdict',
  summary: 'What a resume attempt deserves, by the rules; nothing is stored',
  scope: 'read',
  body: { 'application/json': VerdictRequest },
  bodyBytesMax: 8 * 1024 * 1024,
  answers: { 200: DecisionBody },
  errors: ['malformed_json', 'invalid_field'],
  handle: async (call) => {
    const decoded = decodeVerdictRequest(jsonOf(await call.body()));
    if (!decoded.ok) throw invalidField(decoded.error.path, decoded.error.message);
    const { policy, session, log, request } = decoded.value;
    return ok(encodeDecision(decide(policy, session, log, request)));
  },
};

/** A JSON body whose integers are never rounded. */
export function jsonOf(body: RequestBody): unknown {
  try {
    return parseJsonExactly(body.text);
  } catch (cause) {
    throw new HttpError('malformed_json', `the body is not JSON: ${cause instanceof Error ? cause.message : 'unreadable'}`, { cause });
  }
}
