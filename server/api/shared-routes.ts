import { HttpError } from '@/lib/http/http-error';
import { QueryReader } from '@/lib/http/query-reader';
import type { Answer, Route } from '@/lib/http/route';
import { type IncidentDetail, SharedIncident } from '@/lib/incidents/answer-schema';
import { withSessionNames } from '@/lib/incidents/session-names';
import { queryPinnedLines } from '@/lib/query/incident-records';
import { queryIncident } from '@/lib/query/incidents';
import { Timeline } from '@/lib/wire/timeline-responses';
import type { Access } from '@/server/access/access';
import { readStep, STEPS_DEFAULT, STEPS_MAX, stepParams } from '@/server/api/incident-routes';
import type { HistoryPool } from '@/server/history/history-pool';

const RECORDS_DEFAULT = 10_000;
const RECORDS_MAX = 50_000;
/** Nobody finds it by a search, and following a link from it tells nobody where it is. */
const HEADERS = { 'x-robots-tag': 'noindex, nofollow', 'referrer-policy': 'no-referrer' };

interface Opened {
  readonly incident: IncidentDetail;
  readonly expiresAtMs: number;
}

/** What the holder of a link to an incident sees: that incident, read-only, its sessions under names that lead nowhere. */
export function sharedRoutes({ sql, shares, hasher, now }: Access, pool: HistoryPool): Route[] {
  /** @throws HttpError `link_invalid`, the same for a link that was revoked, has expired, or never was */
  const open = async (params: Readonly<Record<string, string>>): Promise<Opened> => {
    const hash = hasher.hashOf('tds', params['token'] ?? '');
    const link = hash === null ? null : await shares.incidentOf(hash, now());
    const incident = link === null ? null : await queryIncident(sql, link.incident);
    if (link === null || incident === null)
      throw new HttpError('link_invalid', 'this link has expired, was revoked, or is not whole', { headers: HEADERS });
    return { incident, expiresAtMs: link.expiresAtMs };
  };
  const answer = (incident: IncidentDetail, text: string, mediaType: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
    status: 200,
    body: withSessionNames(text, incident.sessions),
    mediaType,
    headers: { ...HEADERS, ...headers },
  });
  return [
    {
      method: 'GET',
      path: '/api/v1/shared/{token}',
      summary: 'The incident that a link shows, without who works on it',
      scope: 'none',
      answers: { 200: SharedIncident },
      errors: ['link_invalid'],
      handle: async ({ params }) => {
        const { incident, expiresAtMs } = await open(params);
        const { id: _id, owner: _owner, links: _links, merged_into: _merged, ...shown } = incident;
        return answer(incident, JSON.stringify({ ...shown, shared_until: new Date(expiresAtMs).toISOString() }), 'application/json');
      },
    },
    {
      method: 'GET',
      path: '/api/v1/shared/{token}/timeline',
      summary: 'The timeline of the incident that a link shows',
      scope: 'none',
      query: stepParams(STEPS_MAX, STEPS_DEFAULT),
      answers: { 200: Timeline },
      errors: ['link_invalid', 'invalid_field', 'busy', 'job_timeout'],
      handle: async ({ params, query }) => {
        const { incident } = await open(params);
        const reader = new QueryReader(query);
        const limit = reader.integer('limit', STEPS_DEFAULT, 1, STEPS_MAX);
        const text = await pool.run({ type: 'timeline', incident: incident.id, first: readStep(reader), limit });
        return answer(incident, String(text), 'application/json');
      },
    },
    {
      method: 'GET',
      path: '/api/v1/shared/{token}/records',
      summary: 'The pinned records of the incident that a link shows, one a line; tidemark-next is the cursor of the next page',
      scope: 'none',
      query: stepParams(RECORDS_MAX, RECORDS_DEFAULT),
      answers: { 200: 'application/x-ndjson' },
      errors: ['link_invalid', 'invalid_field'],
      handle: async ({ params, query }) => {
        const { incident } = await open(params);
        const reader = new QueryReader(query);
        const limit = reader.integer('limit', RECORDS_DEFAULT, 1, RECORDS_MAX);
        const first = readStep(reader);
        const records = await queryPinnedLines(sql, incident.id, first, limit + 1);
        const headers: Record<string, string> = records.length > limit ? { 'tidemark-next': `step-${first + limit}` } : {};
        const text = records.slice(0, limit).map((record) => `${record}\n`);
        return answer(incident, text.join(''), 'application/x-ndjson', headers);
      },
    },
    {
      method: 'GET',
      path: '/api/v1/shared/{token}/report',
      summary: 'The incident that a link shows as one HTML file that needs nothing else',
      scope: 'none',
      answers: { 200: 'text/html; charset=utf-8' },
      errors: ['link_invalid', 'busy', 'job_timeout'],
      handle: async ({ params }) => {
        const { incident } = await open(params);
        const text = await pool.run({ type: 'report', incident: incident.id });
        return answer(incident, String(text), 'text/html; charset=utf-8', {
          'content-disposition': 'inline; filename="incident.html"',
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        });
      },
    },
  ];
}
