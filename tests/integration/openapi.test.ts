import { beforeAll, expect, test } from 'vitest';
import { call } from './api-client';
import { edgeOfFile } from './edge-of-file';

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, unknown>> }>>;
}

let paths: Record<string, Record<string, Operation>>;

const edge = edgeOfFile();

beforeAll(async () => {
  const { status, body } = await call(`${edge.base}/api/openapi.json`);
  expect(status).toBe(200);
  expect(body['openapi']).toBe('3.1.0');
  paths = body['paths'] as typeof paths;
});

test('the document names the routes that others rely on', () => {
  for (const path of [
    '/api/v1/verdict',
    '/api/v1/telemetry',
    '/api/v1/attempts',
    '/api/v1/summary',
    '/api/v1/series',
    '/api/v1/servers',
    '/api/v1/sessions',
    '/api/v1/sessions/{ref}',
    '/api/v1/sessions/{ref}/timeline',
    '/metrics',
    '/healthz',
    '/readyz',
    '/api/openapi.json',
  ]) {
    expect(Object.keys(paths), path).toContain(path);
  }
});

test('every route that the document names answers with a status and a media type that it names', async () => {
  let asked = 0;
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const url = `${edge.base}${path.replaceAll(/\{\w+\}/g, '00000000000000000000000000000000')}`;
      const body = method === 'post' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {};
      const reply = await fetch(url, { method: method.toUpperCase(), ...body });
      await reply.arrayBuffer();
      const answer = operation.responses[String(reply.status)];
      expect(answer, `${method} ${path} answered ${reply.status}`).toBeDefined();
      expect(Object.keys(answer?.content ?? {}), path).toContain(reply.headers.get('content-type')?.split(';')[0]);
      asked++;
    }
  }
  expect(asked).toBeGreaterThan(12);
});

test('every path parameter of a route is declared', () => {
  for (const [path, operations] of Object.entries(paths)) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { parameters } of Object.values(operations)) {
      expect(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(named);
    }
  }
});
