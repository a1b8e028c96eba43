import { markColour, markSoftColour } from '@/components/verdict-mark/mark-style';

/** Ids of the hatches of one plot; several plots may stand on one page. */
export interface HatchIds {
  readonly hole: string;
  readonly unsafe: string;
  readonly refused: string;
}

export function hatchIds(prefix: string): HatchIds {
  return { hole: `${prefix}hole`, unsafe: `${prefix}unsafe`, refused: `${prefix}refused` };
}

/** The hatches of gaps and holes: what is missing is never a plain area. */
export function PlotHatches({ ids }: { readonly ids: HatchIds }) {
  return (
    <defs>
      <pattern id={ids.hole} width={5} height={5} patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
        <line x1={0} y1={0} x2={0} y2={5} stroke="var(--p-hole)" strokeWidth={1.1} />
      </pattern>
      <pattern id={ids.unsafe} width={4} height={4} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width={4} height={4} fill={markSoftColour('unsafe_resume')} />
        <line x1={0} y1={0} x2={0} y2={4} stroke={markColour('unsafe_resume')} strokeWidth={3.4} />
      </pattern>
      <pattern id={ids.refused} width={4} height={4} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width={4} height={4} fill={markSoftColour('refused')} />
        <line x1={0} y1={0} x2={0} y2={4} stroke={markColour('refused')} strokeWidth={3.4} />
      </pattern>
    </defs>
  );
}
