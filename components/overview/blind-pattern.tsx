const PATTERN = 'chart-blind';

/** The fill of stretches of which telemetry is missing. */
export const BLIND_FILL = `url(#${PATTERN})`;

/** Diagonal hatch behind everything: no data is not zero. */
export function BlindPattern({ id = PATTERN }: { readonly id?: string }) {
  return (
    <pattern id={id} width={7} height={7} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <line x1={0} y1={0} x2={0} y2={7} stroke="var(--p-blind)" strokeWidth={2} />
    </pattern>
  );
}

/** The hatch as an entry of a legend. */
export function BlindSwatch() {
  return (
    <svg width={12} height={12} aria-hidden="true">
      <defs>
        <BlindPattern id="legend-blind" />
      </defs>
      <rect width={12} height={12} fill="url(#legend-blind)" stroke="var(--p-blind)" />
    </svg>
  );
}
