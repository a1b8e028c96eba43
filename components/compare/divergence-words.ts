import { formatCount } from '@/components/format/count';
import type { Comparison } from '@/lib/replay/compare';

/** Where two histories part, in one sentence. */
export function divergenceSentence({ alike, divergence }: Comparison): string {
  const course = `${formatCount(alike)} ${alike === 1 ? 'step is' : 'steps are'} alike`;
  if (divergence === null) return `${course}: neither history departs from the other.`;
  if (divergence.path === 'length') {
    const isLeft = Number(divergence.a) < Number(divergence.b);
    return `${course}, then ${isLeft ? 'the left' : 'the right'} history ends and the other goes on.`;
  }
  const where = divergence.path.startsWith('state.') ? `the state: ${divergence.path.slice(6)}` : divergence.path;
  return `${course}, then they differ in ${where}: ${valueWords(divergence.a)} at the left, ${valueWords(divergence.b)} at the right.`;
}

/** A value of a record or a state, short enough for a sentence. */
export function valueWords(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
