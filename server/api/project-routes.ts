import Type from 'typebox';
import type { Sql } from '@/db/connect';
import { HttpError, invalidField } from '@/lib/http/http-error';
import { type Call, ok, type Route } from '@/lib/http/route';
import { queryProjectServers, queryProjects } from '@/lib/query/projects';
import type { ProjectRefusal, ProjectStore } from '@/lib/store/projects';
import { ProjectItem, ProjectList, ProjectServers } from '@/lib/wire/project-responses';
import { decodeBody } from '@/server/api/decode-body';

/** Without spaces at its ends, which nobody sees. */
export const ProjectName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^(?!\\s)\\P{Cc}*(?<!\\s)$',
  description: 'text of 1 to 100 characters without spaces at its ends',
});
const ProjectInput = Type.Object({ name: ProjectName }, { description: 'an object with name' });
const ProjectChange = Type.Object(
  { name: Type.Optional(ProjectName), archived: Type.Optional(Type.Boolean()) },
  { description: 'an object with name or archived' },
);
const MoveInput = Type.Object({ project: ProjectName }, { description: 'an object with project' });

export interface ProjectContext {
  readonly sql: Sql;
  readonly projects: ProjectStore;
  readonly now: () => number;
  /** Called when a server was moved: what is remembered of owners no longer holds. */
  readonly onMoved: () => void;
}

/** Projects: whose keys may send records of which servers. */
export function projectRoutes(context: ProjectContext): Route[] {
  return [...listRoutes(context), ...changeRoutes(context), moveRoute(context)];
}

function listRoutes({ sql, now }: ProjectContext): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/projects',
      summary: 'Projects with how many keys and servers each has, archived ones too',
      answers: { 200: ProjectList },
      handle: async () => ok({ items: await queryProjects(sql, now()) }),
    },
    {
      method: 'GET',
      path: '/api/v1/projects/{id}/servers',
      summary: 'Servers that belong to a project, by name',
      answers: { 200: ProjectServers },
      errors: ['not_found'],
      handle: async ({ params }) => {
        const servers = await queryProjectServers(sql, idOf(params['id']));
        if (servers === null) throw noProject();
        return ok(servers);
      },
    },
  ];
}

function changeRoutes({ sql, projects, now }: ProjectContext): Route[] {
  const itemOf = async (id: number) => (await queryProjects(sql, now())).find((item) => item.id === id);
  return [
    {
      method: 'POST',
      path: '/api/v1/projects',
      summary: 'Makes a project',
      body: { 'application/json': ProjectInput },
      answers: { 201: ProjectItem },
      errors: ['malformed_json', 'invalid_field', 'project_exists'],
      handle: async (call) => {
        const { name } = await decodeBody(call, ProjectInput);
        const id = await projects.create(name, byOf(call, now));
        if (id === null) throw refused('exists');
        return { status: 201, body: await itemOf(id) };
      },
    },
    {
      method: 'PATCH',
      path: '/api/v1/projects/{id}',
      summary: 'Renames, archives or restores a project; one with keys that hold is not archived',
      body: { 'application/json': ProjectChange },
      answers: { 200: ProjectItem },
      errors: ['malformed_json', 'invalid_field', 'not_found', 'project_exists', 'project_in_use'],
      handle: async (call) => {
        const id = idOf(call.params['id']);
        const refusal = await projects.change(id, await decodeBody(call, ProjectChange), byOf(call, now));
        if (refusal !== null) throw refused(refusal);
        return ok(await itemOf(id));
      },
    },
  ];
}

function moveRoute({ projects, now, onMoved }: ProjectContext): Route {
  return {
    method: 'PUT',
    path: '/api/v1/servers/{name}/project',
    summary: 'Moves a server, and all that is stored of it, to another project',
    body: { 'application/json': MoveInput },
    answers: { 200: MoveInput },
    errors: ['malformed_json', 'invalid_field', 'not_found'],
    handle: async (call) => {
      const { project } = await decodeBody(call, MoveInput);
      const refusal = await projects.moveServer(call.params['name'] ?? '', project, byOf(call, now));
      if (refusal === 'unknown_server') throw new HttpError('not_found', 'no record names this server');
      if (refusal === 'unknown_project') throw notAProject();
      onMoved();
      return ok({ project });
    },
  };
}

const byOf = ({ caller }: Call, now: () => number) => ({ actor: caller.name, atMs: now() });

function idOf(text: string | undefined): number {
  if (text === undefined || !/^\d{1,9}$/.test(text)) throw noProject();
  return Number(text);
}

/** The refusal of a name that no project has, or an archived one. */
export function notAProject(): HttpError {
  return invalidField('project', 'must be the name of a project that is not archived');
}

function noProject(): HttpError {
  return new HttpError('not_found', 'there is no project of this id', { nextStep: 'see /api/v1/projects for those there are' });
}

function refused(refusal: ProjectRefusal): HttpError {
  switch (refusal) {
    case 'unknown':
      return noProject();
    case 'exists':
      return new HttpError('project_exists', 'another project has this name');
    case 'default':
      return new HttpError('project_in_use', 'the default project is there for what names no other, and stays', {
        nextStep: 'rename it if its name does not fit',
      });
    case 'in_use':
      return new HttpError('project_in_use', 'keys of this project still hold');
  }
}
