import { invalidField } from '@/lib/http/http-error';

const LIST_MEMBERS_MAX = 50;
const TEXT_LENGTH_MAX = 1024;

/** Reads members of a query string, each into its type; the refusal of a bad one names it. */
export class QueryReader {
  constructor(readonly query: URLSearchParams) {}

  /** Text, or null when absent or empty. */
  text(name: string): string | null {
    const value = this.query.get(name);
    if (value === null || value === '') return null;
    if (value.length > TEXT_LENGTH_MAX || value.includes('\0'))
      throw invalidField(name, `must be text of at most ${TEXT_LENGTH_MAX} characters`);
    return value;
  }

  /** Members of a comma-separated list, null when absent. */
  list(name: string): string[] | null {
    const text = this.query.getAll(name).join(',');
    if (text === '') return null;
    const members = text.split(',').filter((member) => member !== '');
    if (members.length > LIST_MEMBERS_MAX || text.includes('\0')) throw invalidField(name, `must be at most ${LIST_MEMBERS_MAX} values`);
    return members.length === 0 ? null : members;
  }

  /** Members of a closed set, null when absent. */
  oneOfEach<T extends string>(name: string, allowed: readonly T[]): T[] | null {
    const members = this.list(name);
    if (members === null) return null;
    return members.map((member) => {
      const known = allowed.find((candidate) => candidate === member);
      if (known === undefined) throw invalidField(name, `must be one of ${allowed.join(', ')}`);
      return known;
    });
  }

  /** An instant as epoch milliseconds: RFC 3339 text or milliseconds; null when absent. */
  instant(name: string): number | null {
    const text = this.text(name);
    if (text === null) return null;
    const ms = /^\d{1,16}$/.test(text) ? Number(text) : Date.parse(text);
    // Postgres and RFC 3339 agree on these years; nothing is stored outside them.
    if (!(ms >= 0 && ms < 253_402_300_800_000)) throw invalidField(name, 'must be an instant: RFC 3339 text or epoch milliseconds');
    return ms;
  }

  /** An integer within bounds, or the fallback when absent. */
  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.text(name);
    if (text === null) return fallback;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw invalidField(name, `must be an integer from ${min} to ${max}`);
    return value;
  }
}
