import { expect, test } from 'vitest';
import { projectOptions } from './project-options';

const project = (name: string, archived_at: string | null = null) => ({ name, archived_at });

test.each([
  { what: 'one project alone is no choice', projects: [project('default')], chosen: null, options: [] },
  { what: 'nor are one and archived ones', projects: [project('default'), project('old', '2026-01-01')], chosen: null, options: [] },
  { what: 'several are, in their order', projects: [project('default'), project('pay')], chosen: null, options: ['default', 'pay'] },
  {
    what: 'an archived one only while it is chosen',
    projects: [project('default'), project('old', '2026-01-01')],
    chosen: 'old',
    options: ['default', 'old'],
  },
  { what: 'one that is not there stays while it is chosen', projects: [project('default')], chosen: 'gone', options: ['default', 'gone'] },
  { what: 'what is chosen stays while the others are read', projects: undefined, chosen: 'pay', options: ['pay'] },
  { what: 'nothing while nothing is known', projects: undefined, chosen: null, options: [] },
])('$what', ({ projects, chosen, options }) => expect(projectOptions(projects, chosen)).toEqual(options));
