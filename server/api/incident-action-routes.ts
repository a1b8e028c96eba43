import Type, { type Static, type TSchema } from 'typebox';
import { SEVERITIES } from '@/lib/audit/finding';
import { nameFor } from '@/lib/http/caller';
import { HttpError, invalidField } from '@/lib/http/http-error';
import { type Answer, type Call, ok, type Route } from '@/lib/http/route';
import { IncidentDetail, IncidentLink, IncidentLog } from '@/lib/incidents/answer-schema';
import { queryIncident, queryIncidentLog } from '@/lib/query/incidents';
import { type Actor, IncidentProblem } from '@/lib/store/incident-desk';
import { commentIncident, deleteImported, editIncident, setImportedState } from '@/lib/store/incident-edits';
import { literals } from '@/lib/wire/schema';
import { decodeBody } from '@/server/api/decode-body';
import { noIncident, readIncidentId } from '@/server/api/incident-routes';
import type { IncidentContext } from '@/server/incident-context';

const Who = Type.Optional(
  Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$', description: 'who does it, text of 1 to 200 characters' }),
);
const Title = Type.String({ minLength: 1, maxLength: 1024, pattern: '^[^\\u0000]*$', description: 'text of 1 to 1,024 characters' });
const Owner = Type.Union([Type.Null(), Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$' })], {
  description: 'text of 1 to 200 characters, or null',
});
const ActBody = Type.Object({ actor: Who }, { description: 'an object' });
const EditBody = Type.Object(
  {
    title: Type.Optional(Title),
    owner: Type.Optional(Owner),
    severity: Type.Optional(literals(SEVERITIES)),
    state: Type.Optional(literals(['open', 'resolved'] as const)),
    links: Type.Optional(Type.Array(IncidentLink, { maxItems: 50, description: 'at most 50 links' })),
    actor: Who,
  },
  { description: 'an object' },
);
const CommentBody = Type.Object(
  { text: Type.String({ minLength: 1, maxLength: 10_000, description: 'text of 1 to 10,000 characters' }), author: Who },
  { description: 'an object' },
);
const MergeBody = Type.Object({ into: Type.String({ description: 'the id of an incident' }), actor: Who }, { description: 'an object' });
const SplitBody = Type.Object(
  {
    sessions: Type.Array(Type.String({ pattern: '^[0-9a-f]{32}$', description: 'a session reference of 32 hexadecimal digits' }), {
      minItems: 1,
      maxItems: 1_000,
      description: '1 to 1,000 session references',
    }),
    actor: Who,
  },
  { description: 'an object' },
);

/** What people do with incidents. Every change is in the incident's log. */
export function incidentActionRoutes(context: IncidentContext): Route[] {
  return [...editRoutes(context), ...stateRoutes(context), ...regroupRoutes(context)];
}

/** An act on an incident: what its route is, and what is done. */
interface Act<Body extends TSchema> {
  readonly method?: 'POST' | 'PATCH';
  /** What follows the incident's own path. */
  readonly path: string;
  readonly summary: string;
  readonly body: Body;
  readonly answers: Route['answers'];
  /** Whether the incident may be in a state that does not allow it; it may unless said otherwise. */
  readonly mayConflict?: boolean;
  /** `as` gives whoever asks, under the name that the body claims. */
  readonly work: (id: string, body: Static<Body>, as: (claimed: string | undefined) => Actor) => Promise<Answer>;
}

function actRoute<Body extends TSchema>({ now }: IncidentContext, act: Act<Body>): Route {
  const { method = 'POST', path, summary, body, answers, mayConflict = true, work } = act;
  return {
    method,
    path: `/api/v1/incidents/{id}${path}`,
    scope: 'operate',
    summary,
    body: { 'application/json': body },
    answers,
    errors: ['malformed_json', 'invalid_field', 'not_found', ...(mayConflict ? (['incident_conflict'] as const) : [])],
    handle: async (call) => {
      const id = readIncidentId(call.params);
      return work(id, await decodeBody(call, body), (claimed) => ({ name: nameFor(call.caller, claimed), now: now() }));
    },
  };
}

function editRoutes(context: IncidentContext): Route[] {
  const { sql, transactions } = context;
  return [
    actRoute(context, {
      method: 'PATCH',
      path: '',
      summary: 'Sets title, owner, severity, links or state of an incident; absent members stay',
      body: EditBody,
      answers: { 200: IncidentDetail },
      work: async (id, { state, actor, ...edit }, as) => {
        const by = as(actor);
        if (!(await editIncident(transactions, id, edit, by.name, by.now))) throw noIncident();
        if (state === 'resolved') await resolve(context, id, by);
        if (state === 'open') await reopen(context, id, by);
        return ok(await queryIncident(sql, id));
      },
    }),
    {
      method: 'DELETE',
      path: '/api/v1/incidents/{id}',
      scope: 'operate',
      summary: 'Removes an imported incident with its records',
      answers: { 200: Type.Object({ deleted: Type.Boolean() }) },
      errors: ['not_found', 'incident_conflict'],
      handle: async ({ params }) => {
        const id = readIncidentId(params);
        if (await deleteImported(transactions, id)) return ok({ deleted: true });
        if ((await queryIncident(sql, id)) === null) throw noIncident();
        throw new HttpError('incident_conflict', 'it was detected here: only imported incidents can be removed', {
          nextStep: 'resolve it instead',
        });
      },
    },
    actRoute(context, {
      path: '/comments',
      summary: 'Adds a comment to the log of an incident',
      body: CommentBody,
      answers: { 201: IncidentLog },
      mayConflict: false,
      work: async (id, { text, author }, as) => {
        const by = as(author);
        if (!(await commentIncident(transactions, id, text, by.name, by.now))) throw noIncident();
        return { status: 201, body: await queryIncidentLog(sql, id) };
      },
    }),
  ];
}

function stateRoutes({ sql, transactions, desk, now }: IncidentContext): Route[] {
  const route = (verb: string, summary: string, work: (id: string, by: Actor) => Promise<void>): Route => ({
    method: 'POST',
    path: `/api/v1/incidents/{id}/${verb}`,
    scope: 'operate',
    summary,
    body: { 'application/json': ActBody },
    answers: { 200: IncidentDetail },
    errors: ['malformed_json', 'invalid_field', 'not_found', 'incident_conflict'],
    handle: async (call) => {
      const id = readIncidentId(call.params);
      await work(id, await actorIn(call, now()));
      return ok(await queryIncident(sql, id));
    },
  });
  return [
    route('resolve', 'Says that an incident is over; later evidence opens it again', (id, by) => resolve({ transactions, desk }, id, by)),
    route('reopen', 'Says that an incident is not over', (id, by) => reopen({ transactions, desk }, id, by)),
  ];
}

function regroupRoutes(context: IncidentContext): Route[] {
  const { sql, desk, wake } = context;
  return [
    actRoute(context, {
      path: '/merge',
      summary: 'Lets another incident of the same server take over all that this one counted and will count',
      body: MergeBody,
      answers: { 200: IncidentDetail },
      work: async (id, { into, actor }, as) => {
        const target = readIncidentId({ id: into });
        await coded(() => desk.merge(id, target, as(actor)));
        wake();
        return ok(await queryIncident(sql, target));
      },
    }),
    actRoute(context, {
      path: '/split',
      summary: 'Makes an incident of its own of some sessions; their evidence moves with them',
      body: SplitBody,
      answers: { 201: IncidentDetail },
      work: async (id, { sessions, actor }, as) => {
        const part = await coded(() => desk.split(id, sessions, as(actor)));
        wake();
        return { status: 201, body: await queryIncident(sql, part) };
      },
    }),
  ];
}

type Hands = Pick<IncidentContext, 'transactions' | 'desk'>;

async function resolve({ transactions, desk }: Hands, id: string, by: Actor): Promise<void> {
  if (await setImportedState(transactions, id, 'resolved', by.name, by.now)) return;
  await coded(() => desk.resolve(id, by));
}

async function reopen({ transactions, desk }: Hands, id: string, by: Actor): Promise<void> {
  if (await setImportedState(transactions, id, 'open', by.name, by.now)) return;
  await coded(() => desk.reopen(id, by));
}

async function coded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof IncidentProblem)) throw cause;
    if (cause.code === 'incident_not_found') throw noIncident();
    if (cause.code === 'session_not_found' || cause.code === 'incident_would_be_empty') throw invalidField('sessions', cause.message);
    throw new HttpError('incident_conflict', cause.message, { cause });
  }
}

const actorOf = (claimed: string | undefined, { caller }: Call, now: number): Actor => ({ name: nameFor(caller, claimed), now });

/** Who does it, from a body that may be left out. */
async function actorIn(call: Call, now: number): Promise<Actor> {
  if (call.request.headers['content-type'] === undefined) return actorOf(undefined, call, now);
  return actorOf((await decodeBody(call, ActBody)).actor, call, now);
}
