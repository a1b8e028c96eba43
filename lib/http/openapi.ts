import type { TSchema } from 'typebox';
import { ERROR_CODES, type ErrorCode } from '@/lib/http/error-codes';
import { type Route, scopeOf } from '@/lib/http/route';
import { ErrorBody } from '@/lib/wire/responses';

/** Refusals that any route may answer with. */
const ANYWHERE: readonly ErrorCode[] = [
  'key_missing',
  'key_unknown',
  'session_over',
  'scope_missing',
  'host_not_allowed',
  'cross_origin',
  'busy',
  'internal',
];
const WITH_BODY: readonly ErrorCode[] = [
  'malformed_encoding',
  'request_timeout',
  'body_too_large',
  'intake_full',
  'unsupported_media_type',
  'unsupported_encoding',
];

/** The OpenAPI 3.1 document of the routes: made from the schemas that validate and type them, so it cannot differ. */
export function openApiDocument(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const operations = paths[route.path] ?? {};
    operations[route.method.toLowerCase()] = operationOf(route);
    paths[route.path] = operations;
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tidemark', version, description: 'Judges how MCP servers resume streams. Errors carry stable codes.' },
    paths,
    components: {
      schemas: { Error: ErrorBody },
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer' },
        // The cookie that POST /api/v1/sign-in sets; a role stands for a scope.
        member: { type: 'apiKey', in: 'cookie', name: 'tidemark.session_token' },
      },
    },
  };
}

function operationOf(route: Route): object {
  const body = Object.entries(route.body ?? {}).map(([mediaType, schema]) => [mediaType, { schema }]);
  const scope = scopeOf(route);
  return {
    summary: route.summary,
    security: scope === 'none' ? [] : [{ key: [scope] }, { member: [scope] }],
    operationId: `${route.method.toLowerCase()}${route.path.replaceAll(/[^a-z0-9]+(\w?)/gi, (_match, next: string) => next.toUpperCase())}`,
    parameters: [...pathParameters(route), ...queryParameters(route)],
    ...(body.length === 0 ? {} : { requestBody: { required: true, content: Object.fromEntries(body) } }),
    responses: { ...answers(route), ...refusals(route) },
  };
}

function pathParameters(route: Route): object[] {
  return [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function queryParameters(route: Route): object[] {
  const required: readonly string[] = route.query?.required ?? [];
  return Object.entries(route.query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function answers(route: Route): Record<string, object> {
  return Object.fromEntries(Object.entries(route.answers).map(([status, answer]) => [status, answerOf(Number(status), answer)]));
}

function answerOf(status: number, answer: TSchema | string): object {
  const content = typeof answer === 'string' ? { [answer]: {} } : { 'application/json': { schema: answer } };
  return { description: status < 300 ? 'done' : 'refused', content };
}

function refusals(route: Route): Record<string, object> {
  const codes = [...(route.errors ?? []), ...ANYWHERE, ...(route.body === undefined ? [] : WITH_BODY)];
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = ERROR_CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  return Object.fromEntries([...byStatus].map(([status, list]) => [status, { description: list.join(', '), content }]));
}
