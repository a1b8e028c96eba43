import type { TSchema } from 'typebox';
import type { Validator } from 'typebox/compile';
import { Settings } from 'typebox/system';

const ERRORS_MAX = 1000;

/** What is wrong with a value and where: `path` in the form `holes[2][0]`, empty for the value itself. */
export interface FieldProblem {
  readonly path: string;
  readonly message: string;
}

/**
 * The one problem worth telling about a value that failed `validator`: the deepest member named by the schema
 * errors, described by that member's schema. Called only after a failed check, so its cost is the sender's.
 */
export function firstProblem(validator: Validator, schema: TSchema, value: unknown): FieldProblem {
  let deepest: { instancePath: string; schemaPath: string; message: string; keyword: string; params: unknown } | undefined;
  for (const error of validator.Errors(value)) {
    if (deepest === undefined || depth(error) >= depth(deepest)) deepest = error;
  }
  if (deepest === undefined) return { path: '', message: 'is not valid' };
  const [missing] = missingMembers(deepest);
  if (missing !== undefined) return { path: fieldPath(`${deepest.instancePath}/${missing}`), message: 'is required' };
  const description = describe(schema, deepest.schemaPath);
  return { path: fieldPath(deepest.instancePath), message: description === null ? deepest.message : `must be ${description}` };
}

/** Every failing member once, told as `firstProblem` tells one: for input that a person corrects by hand. */
export function allProblems(validator: Validator, schema: TSchema, value: unknown): FieldProblem[] {
  const problems = new Map<string, FieldProblem>();
  const add = (problem: FieldProblem) => problems.has(problem.path) || problems.set(problem.path, problem);
  for (const error of everyError(validator, value)) {
    const missing = missingMembers(error);
    const description = describe(schema, error.schemaPath);
    for (const member of missing) add({ path: fieldPath(`${error.instancePath}/${member}`), message: 'is required' });
    if (missing.length > 0) continue;
    add({ path: fieldPath(error.instancePath), message: description === null ? error.message : `must be ${description}` });
  }
  return [...problems.values()];
}

/** The library stops at 8 errors, which guards a server against its senders; here the reader is waiting for the whole list. */
function everyError(validator: Validator, value: unknown): ReturnType<Validator['Errors']> {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: ERRORS_MAX });
  try {
    return validator.Errors(value);
  } finally {
    Settings.Set({ maxErrors });
  }
}

/** A missing member is one step below the object that lacks it. */
const depth = (error: { instancePath: string; keyword: string }): number =>
  error.instancePath.split('/').length + (error.keyword === 'required' ? 1 : 0);

function missingMembers(error: { keyword: string; params: unknown }): string[] {
  if (error.keyword !== 'required') return [];
  const { requiredProperties } = error.params as { requiredProperties?: unknown };
  return Array.isArray(requiredProperties) ? requiredProperties.filter((name) => typeof name === 'string') : [];
}

function fieldPath(pointer: string): string {
  let path = '';
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (/^\d+$/.test(name)) path += `[${name}]`;
    else path += path === '' ? name : `.${name}`;
  }
  return path;
}

/** The description nearest above the failing keyword: a union is described as a whole, not by one branch. */
function describe(schema: TSchema, schemaPath: string): string | null {
  let node: unknown = schema;
  let description: string | null = null;
  for (const part of schemaPath.split('/').slice(1)) {
    if (part === 'anyOf' && description !== null) return description;
    if (node === null || typeof node !== 'object') break;
    node = (node as Record<string, unknown>)[part];
    const own = node !== null && typeof node === 'object' ? (node as { description?: unknown }).description : undefined;
    if (typeof own === 'string') description = own;
    else if (part !== 'anyOf' && part !== 'properties' && part !== 'items' && !/^\d+$/.test(part)) description = null;
  }
  return description;
}
