import type { Result } from '@/lib/base/result';

/** A field that a query can name. `members`: one or more of a closed set; `names`: one or more texts; `text`: one text; `count`: bounds. */
export type QueryField =
  | { readonly name: string; readonly kind: 'members'; readonly members: readonly string[]; readonly canExclude?: boolean }
  | { readonly name: string; readonly kind: 'names' | 'text' | 'count'; readonly canExclude?: boolean };

/** What a query language knows: its fields, and whether words without a field are looked for. */
export interface QueryLanguage {
  readonly fields: readonly QueryField[];
  readonly takesText: boolean;
}

/** Inclusive bounds of a count; null where open. */
export interface CountBounds {
  readonly min: bigint | null;
  readonly max: bigint | null;
}

export interface ParsedQuery {
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** What is to be left out, by field. */
  readonly excluded: ReadonlyMap<string, readonly string[]>;
  readonly counts: ReadonlyMap<string, CountBounds>;
  readonly text: string | null;
}

/** Why a query cannot be read, and which characters of it. */
export interface QueryProblem {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

const OPERATOR = /^(-?)([a-z_]+)(:|!=|>=|<=|>|<|=)/;
const COUNT_DIGITS_MAX = 19;

/**
 * Reads a query as one types it: `server:payments,search -reason:hole gap>10 "some text"`. Terms are separated by
 * spaces; quotes hold a value together and make a word with a colon text; `-name:value` or `name!=value` leaves out.
 * Never throws.
 */
export function parseQuery(text: string, language: QueryLanguage): Result<ParsedQuery, QueryProblem> {
  const values = new Map<string, readonly string[]>();
  const excluded = new Map<string, readonly string[]>();
  const counts = new Map<string, CountBounds>();
  const words: string[] = [];
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const end = endOfTerm(text, at);
    if (end === null) return problem(at, text.length, 'The quote is not closed.');
    const term = { from: at, to: end, text: text.slice(at, end) };
    const [, minus = '', name, operator] = OPERATOR.exec(term.text) ?? [];
    if (name === undefined || operator === undefined) words.push(unquoted(term.text));
    else {
      const wrong = readTerm(term, { minus, name, operator }, language, { values, excluded, counts });
      if (wrong !== null) return { ok: false, error: wrong };
    }
    at = end;
  }
  if (words.length > 0 && !language.takesText)
    return problem(
      0,
      text.length,
      `Only fields can be asked for: ${fieldNames(language)}. Write one as ${language.fields[0]?.name}:value.`,
    );
  return { ok: true, value: { values, excluded, counts, text: words.length === 0 ? null : words.join(' ') } };
}

/** The query that `parseQuery` reads back to the same. */
export function writeQuery({ values, excluded, counts, text }: ParsedQuery, { fields }: QueryLanguage): string {
  const terms: string[] = [];
  for (const { name } of fields) {
    const list = values.get(name) ?? [];
    if (list.length > 0) terms.push(`${name}:${list.map(quoted).join(',')}`);
    const left = excluded.get(name) ?? [];
    if (left.length > 0) terms.push(`-${name}:${left.map(quoted).join(',')}`);
    const bounds = counts.get(name);
    if (bounds !== undefined) terms.push(...boundsTerm(name, bounds));
  }
  if (text !== null && text !== '') terms.push(quotedText(text));
  return terms.join(' ');
}

interface Term {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** How a term names its field: `-` before it, or `!=` after it, leaves out. */
interface Asked {
  readonly minus: string;
  readonly name: string;
  readonly operator: string;
}

interface Into {
  readonly values: Map<string, readonly string[]>;
  readonly excluded: Map<string, readonly string[]>;
  readonly counts: Map<string, CountBounds>;
}

function readTerm(term: Term, asked: Asked, language: QueryLanguage, into: Into): QueryProblem | null {
  const { minus, name, operator } = asked;
  const at = (message: string): QueryProblem => ({ from: term.from, to: term.to, message });
  const field = language.fields.find((one) => one.name === name);
  if (field === undefined) {
    const quote = language.takesText ? ' Put the word in quotes to look for it as text.' : '';
    return at(`There is no field ${name}. Fields are ${fieldNames(language)}.${quote}`);
  }
  const valueFrom = minus.length + name.length + operator.length;
  const value = term.text.slice(valueFrom);
  const isExcluded = minus === '-' || operator === '!=';
  if (isExcluded && field.canExclude !== true) return at(`${name} cannot be left out. ${excludableWords(language)}`);
  if (field.kind === 'count') return readCount(field.name, operator, value, into.counts, at);
  if (operator !== ':' && operator !== '!=') return at(`${name} is no number. Write ${name}:${value === '' ? 'value' : value}.`);
  return readValues(field, { from: term.from + valueFrom, to: term.to, text: value }, isExcluded ? into.excluded : into.values);
}

function readCount(
  name: string,
  operator: string,
  value: string,
  counts: Map<string, CountBounds>,
  at: (message: string) => QueryProblem,
): QueryProblem | null {
  const bounds = readBounds(operator, value);
  if (bounds === null) return at(`${name} takes a whole number: ${name}>10, ${name}<=3, ${name}:10..20.`);
  counts.set(name, bounds);
  return null;
}

function excludableWords({ fields }: QueryLanguage): string {
  const names = fields.filter(({ canExclude }) => canExclude === true).map(({ name }) => name);
  return names.length === 0 ? 'Nothing can be left out here.' : `${names.join(', ')} can be: -${names[0]}:value.`;
}

function readValues(field: QueryField, value: Term, values: Map<string, readonly string[]>): QueryProblem | null {
  const parts = field.kind === 'text' ? [{ ...value, text: unquoted(value.text) }] : splitList(value);
  for (const part of parts) {
    if (part.text === '') return { from: value.from, to: Math.max(value.to, value.from + 1), message: `${field.name} needs a value.` };
    if (field.kind === 'members' && !field.members.includes(part.text))
      return { from: part.from, to: part.to, message: `${field.name} is one of ${field.members.join(', ')}.` };
  }
  const all = [...(values.get(field.name) ?? []), ...parts.map((part) => part.text)];
  values.set(field.name, field.kind === 'text' ? all.slice(-1) : [...new Set(all)]);
  return null;
}

function readBounds(operator: string, value: string): CountBounds | null {
  const [low, high, ...rest] = value.split('..');
  if (low === undefined || rest.length > 0) return null;
  if (high !== undefined) {
    const [min, max] = [wholeNumber(low), wholeNumber(high)];
    return operator !== ':' || min === null || max === null || min > max ? null : { min, max };
  }
  const count = wholeNumber(low);
  if (count === null) return null;
  switch (operator) {
    case '>':
      return { min: count + 1n, max: null };
    case '>=':
      return { min: count, max: null };
    case '<':
      return count === 0n ? null : { min: null, max: count - 1n };
    case '<=':
      return { min: null, max: count };
    default:
      return { min: count, max: count };
  }
}

function wholeNumber(text: string): bigint | null {
  return /^\d+$/.test(text) && text.length <= COUNT_DIGITS_MAX ? BigInt(text) : null;
}

function boundsTerm(name: string, { min, max }: CountBounds): string[] {
  if (min !== null && max !== null) return [min === max ? `${name}:${min}` : `${name}:${min}..${max}`];
  if (min !== null) return [min === 0n ? `${name}>=0` : `${name}>${min - 1n}`];
  return max === null ? [] : [`${name}<${max + 1n}`];
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text.charAt(at))) at++;
  return at;
}

/** Where the term that begins at `from` ends; null when a quote in it is not closed. */
function endOfTerm(text: string, from: number): number | null {
  let isQuoted = false;
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at);
    if (isQuoted && char === '\\') at++;
    else if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && /\s/.test(char)) return at;
  }
  return isQuoted ? null : text.length;
}

/** The members of a list, commas inside quotes not being separators. */
function splitList({ from, text }: Term): Term[] {
  const parts: Term[] = [];
  let begin = 0;
  let isQuoted = false;
  for (let at = 0; at <= text.length; at++) {
    const char = text.charAt(at);
    if (isQuoted && char === '\\') at++;
    else if (char === '"') isQuoted = !isQuoted;
    else if (at === text.length || (char === ',' && !isQuoted)) {
      parts.push({ from: from + begin, to: from + at, text: unquoted(text.slice(begin, at)) });
      begin = at + 1;
    }
  }
  return parts;
}

function unquoted(text: string): string {
  return text.includes('"') ? text.replaceAll(/\\(.)|"/g, (_, char: string | undefined) => char ?? '') : text;
}

function quoted(value: string): string {
  return /[\s,"\\]/.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : value;
}

/** Text is quoted where its words would be read as something else. */
function quotedText(text: string): string {
  const isPlain = text.split(' ').every((word) => word !== '' && !/[\s"\\]/.test(word) && !OPERATOR.test(word));
  return isPlain ? text : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

function fieldNames({ fields }: QueryLanguage): string {
  return fields.map(({ name }) => name).join(', ');
}

function problem(from: number, to: number, message: string): Result<never, QueryProblem> {
  return { ok: false, error: { from, to, message } };
}
