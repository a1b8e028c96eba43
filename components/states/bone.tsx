import css from '@/components/states/states.module.css';

/** A stand-in with the measure of what is being read. It does not move: nothing moves unless data moved. */
export function Bone({ width = '100%', height = 12 }: { readonly width?: number | string; readonly height?: number | string }) {
  return <span className={css['bone']} style={{ width, height }} aria-hidden="true" />;
}
