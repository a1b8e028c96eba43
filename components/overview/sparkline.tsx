interface SparklineProps {
  readonly values: readonly number[];
  readonly colour: string;
  readonly label: string;
}

const WIDTH = 132;
const HEIGHT = 34;

/** A line of a few numbers, its last one dotted: a shape to recognise, the numbers stand beside it. */
export function Sparkline({ values, colour, label }: SparklineProps) {
  const highest = Math.max(1, ...values);
  const x = (index: number) => 2 + (index / Math.max(1, values.length - 1)) * (WIDTH - 6);
  const y = (value: number) => HEIGHT - 3 - (value / highest) * (HEIGHT - 7);
  const line = values.map((value, index) => `${index === 0 ? 'M' : 'L'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`).join('');
  const last = values.at(-1);
  if (last === undefined) return null;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img" aria-label={label} style={{ maxWidth: '100%' }}>
      <path d={`${line}L${x(values.length - 1)} ${HEIGHT - 3}L2 ${HEIGHT - 3}Z`} fill={colour} opacity={0.14} />
      <path d={line} fill="none" stroke={colour} strokeWidth={1.3} strokeLinejoin="round" />
      <circle cx={x(values.length - 1)} cy={y(last)} r={2.1} fill={colour} />
    </svg>
  );
}
