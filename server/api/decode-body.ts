import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { HttpError, invalidField } from '@/lib/http/http-error';
import type { Call } from '@/lib/http/route';
import { firstProblem } from '@/lib/wire/field-problem';

const validators = new WeakMap<TSchema, Validator>();

/**
 * Reads a JSON body as what a schema describes.
 *
 * @throws HttpError `malformed_json`, `invalid_field` with the path of the first field at fault
 */
export async function decodeBody<T extends TSchema>(call: Call, schema: T): Promise<Static<T>> {
  const { text } = await call.body();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new HttpError('malformed_json', 'the body is not JSON', { cause });
  }
  const known = validators.get(schema);
  const validator = known ?? (Compile(schema) as Validator);
  if (known === undefined) validators.set(schema, validator);
  if (validator.Check(value)) return value as Static<T>;
  const { path, message } = firstProblem(validator, schema, value);
  throw invalidField(path, message);
}
