import css from '@/components/plot/plot-key.module.css';

/** What the lines and the band of the plot are. */
export function PlotKey() {
  return (
    <>
      <Key name="head" line="var(--p-head)" width={1.8} />
      <Key name="floor" line="var(--p-floor)" width={1.4} />
      <Key name="client" line="var(--p-client)" width={1.6} dash="4 3" />
      <span className={css['key']}>
        <svg width={16} height={10} aria-hidden="true">
          <rect width={16} height={10} fill="var(--p-band)" />
        </svg>
        retained
      </span>
    </>
  );
}

function Key({
  name,
  line,
  width,
  dash,
}: {
  readonly name: string;
  readonly line: string;
  readonly width: number;
  readonly dash?: string;
}) {
  return (
    <span className={css['key']}>
      <svg width={16} height={10} aria-hidden="true">
        <path d="M0 5h16" stroke={line} strokeWidth={width} strokeDasharray={dash} />
      </svg>
      {name}
    </span>
  );
}
