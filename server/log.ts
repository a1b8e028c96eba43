import { inspect } from 'node:util';

export type Level = 'info' | 'warn' | 'error';

/** One line per event on stdout, errors on stderr; further fields follow the message, causes with their stack. */
export function log(level: Level, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
  const tail = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : inspect(value, { breakLength: Number.POSITIVE_INFINITY })}`)
    .join('');
  const line = `tidemark ${level === 'info' ? '' : `${level}: `}${message}${tail}`;
  if (level === 'error') console.error(line);
  else console.log(line);
}
