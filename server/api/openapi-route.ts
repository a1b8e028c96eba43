import Type from 'typebox';
import { openApiDocument } from '@/lib/http/openapi';
import { ok, type Route } from '@/lib/http/route';

/** The document of all given routes and of itself; made once. */
export function openApiRoute(others: readonly Route[], version: string): Route {
  const route: Route = {
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This document',
    answers: { 200: Type.Object({}, { additionalProperties: true }) },
    handle: () => ok(document),
  };
  const document = openApiDocument([...others, route], version);
  return route;
}
