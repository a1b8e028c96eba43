import type { Annotation } from '@/components/overview/annotation-words';

/** Shapes that tell the kinds apart without colour: an arrow up, a ring with a stroke, a split diamond, and so on. */
const PATHS: Readonly<Record<Annotation['kind'], string>> = {
  deploy: 'M5 1 9 6H6.5V9h-3V6H1Z',
  boot: 'M5 1v4M2.6 3A3.4 3.4 0 1 0 7.4 3',
  generation: 'M5 .8 9.2 5 5 9.2.8 5ZM5 .8v8.4',
  proxy_mode: 'M5 1 8.5 2.3v2.6C8.5 7 7 8.4 5 9.2 3 8.4 1.5 7 1.5 4.9V2.3Z',
  forced_eviction: 'M1.5 1.5l7 7M8.5 1.5l-7 7',
  session_evicted: 'M1 5h8M6 2l3 3-3 3',
  eviction: 'M2 8h6',
  storm: 'M8.6 4A3.8 3.8 0 1 0 8.6 6.4M8.8 1.6V4.2H6.2',
  incident: 'M5 1 9.4 8.8H.6ZM5 4v2.2',
};
const FILLED: readonly Annotation['kind'][] = ['deploy'];

/** The sign of a kind of annotation, in the colour of its text. */
export function AnnotationGlyph({ kind }: { readonly kind: Annotation['kind'] }) {
  return (
    <svg
      viewBox="0 0 10 10"
      width={10}
      height={10}
      fill={FILLED.includes(kind) ? 'currentColor' : 'none'}
      stroke="currentColor"
      strokeWidth={1.3}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      style={{ flex: 'none' }}
    >
      <path d={PATHS[kind]} />
    </svg>
  );
}
