import type { Labels } from '@/lib/alerting/labels';

export const MATCH_OPERATORS = ['=', '!=', '~', '!~'] as const;

/** A test of one label. `~` compares with `*` standing for any run of characters; a missing label is empty text. */
export interface Matcher {
  readonly name: string;
  readonly op: (typeof MATCH_OPERATORS)[number];
  readonly value: string;
}

export interface Silence {
  readonly id: string;
  readonly matchers: readonly Matcher[];
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly comment: string;
  readonly author: string;
}

/** Alerts that keep others quiet: while an alert that `source` matches fires, those of `target` with the same `equal` labels are not told. */
export interface Inhibition {
  readonly source: readonly Matcher[];
  readonly target: readonly Matcher[];
  readonly equal: readonly string[];
}

/** Whether every matcher holds. No matcher matches nothing: a silence never covers everything by accident. */
export const matches = (matchers: readonly Matcher[], labels: Labels): boolean =>
  matchers.length > 0 && matchers.every((matcher) => holds(matcher, labels[matcher.name] ?? ''));

function holds({ op, value }: Matcher, label: string): boolean {
  switch (op) {
    case '=':
      return label === value;
    case '!=':
      return label !== value;
    case '~':
      return like(value, label);
    case '!~':
      return !like(value, label);
  }
}

/** Matches `*` wildcards in time linear in text and pattern for each star: the pattern comes from a user. */
function like(pattern: string, text: string): boolean {
  const parts = pattern.split('*');
  const first = parts[0] ?? '';
  const last = parts[parts.length - 1] ?? '';
  if (parts.length === 1) return text === pattern;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > text.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}

/** The silence in force that covers these labels, or null. */
export const silencedBy = (silences: readonly Silence[], labels: Labels, nowMs: number): Silence | null =>
  silences.find(({ matchers, startsAtMs, endsAtMs }) => startsAtMs <= nowMs && nowMs < endsAtMs && matches(matchers, labels)) ?? null;

/**
 * Prepares the question whether a firing alert keeps others quiet, in time linear in the firing alerts. An alert
 * that is itself a source of an inhibition is never its target.
 */
export function inhibitor(inhibitions: readonly Inhibition[], firing: readonly Labels[]): (labels: Labels) => boolean {
  const prepared = inhibitions.map(({ source, target, equal }) => {
    const valuesOf = (labels: Labels): string => JSON.stringify(equal.map((name) => labels[name] ?? ''));
    return { source, target, valuesOf, active: new Set(firing.filter((labels) => matches(source, labels)).map(valuesOf)) };
  });
  return (labels) =>
    prepared.some(
      ({ source, target, valuesOf, active }) =>
        active.size > 0 && matches(target, labels) && !matches(source, labels) && active.has(valuesOf(labels)),
    );
}
