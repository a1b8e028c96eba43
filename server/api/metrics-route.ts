import type { Route } from '@/lib/http/route';
import type { Metrics } from '@/server/metrics';

export function metricsRoute(metrics: Metrics): Route {
  return {
    method: 'GET',
    path: '/metrics',
    summary: 'Counts and gauges of this process, for Prometheus',
    answers: { 200: 'text/plain' },
    handle: async () => ({ status: 200, body: await metrics.registry.metrics(), mediaType: metrics.registry.contentType }),
  };
}
