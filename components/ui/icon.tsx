const PATHS = {
  overview: 'M2.5 13.5V9M6.2 13.5V3M9.8 13.5V6.5M13.5 13.5V8',
  attempts: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  sessions: 'M2 5h7M2 11h12M12 5h2M9 3v4M6 9v4',
  servers: 'M2.5 3h11v4h-11ZM2.5 9h11v4h-11ZM5 5h.1M5 11h.1',
  shield: 'M8 2 13 3.8v4c0 3-2 5.2-5 6.2-3-1-5-3.2-5-6.2v-4ZM5.6 8l1.7 1.7 3.1-3.2',
  alerts: 'M4 11.5V7a4 4 0 0 1 8 0v4.5M2.5 11.5h11M6.7 14h2.6',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.8V8l2.2 1.6',
  down: 'M5 6.5 8 9.5l3-3',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.2v9.6L12.6 8Z',
  link: 'M7 9a2.8 2.8 0 0 0 4 0l2-2a2.8 2.8 0 0 0-4-4l-.6.6M9 7a2.8 2.8 0 0 0-4 0L3 9a2.8 2.8 0 0 0 4 4l.6-.6',
  close: 'M4 4l8 8M12 4l-8 8',
  table: 'M2.5 3h11v10h-11ZM2.5 6.3h11M6.2 6.3V13',
  chart: 'M2.5 2.5v11h11M5.5 11V8M8.5 11V5M11.5 11V7',
  copy: 'M5.5 5.5h7v8h-7ZM3.5 10.5v-8h7',
  check: 'M3 8.5 6.5 12 13 4.5',
  arrow: 'M3 8h9.5M9 4.5 12.5 8 9 11.5',
  back: 'M13 8H3.5M7 4.5 3.5 8 7 11.5',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1',
  moon: 'M13 9.6A5.6 5.6 0 0 1 6.4 3a5.6 5.6 0 1 0 6.6 6.6Z',
  system: 'M2 3h12v8H2ZM6 13.5h4M8 11v2.5',
  export: 'M8 2.5v7.5M4.8 7 8 10.2 11.2 7M2.5 13.5h11',
  columns: 'M2.5 3h11v10h-11ZM6.2 3v10M9.8 3v10',
  findings: 'M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10ZM10.6 10.6 14 14M7 4.6v2.8M7 9.3h.1',
  tail: 'M3 4l4 4-4 4M8.5 12.5h5',
  search: 'M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10ZM10.6 10.6 14 14',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  save: 'M3 2.5h10v11L8 10.4 3 13.5Z',
  stepBack: 'M11.5 3.5v9L6 8ZM4 3.5v9',
  stepOn: 'M4.5 3.5v9L10 8ZM12 3.5v9',
  incidents: 'M8 2.2 14.2 13H1.8ZM8 6.2v3.2M8 11.2v.2',
  whatIf: 'M2.5 4.5h7M12 4.5h1.5M2.5 11.5h2M7 11.5h6.5M10.8 3v3M5.8 10v3',
  upload: 'M8 10V2.5M4.8 5.7 8 2.5l3.2 3.2M2.5 13.5h11',
  compare: 'M3 3.5h4v9H3ZM9 3.5h4v9H9Z',
  settings: 'M2.5 4.5h6M11.5 4.5h2M2.5 8h2M7.5 8h6M2.5 11.5h6M11.5 11.5h2M10 3v3M6 6.5v3M10 10v3',
  person: 'M8 8a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 8 8ZM2.8 13.6c.6-2.4 2.6-3.8 5.2-3.8s4.6 1.4 5.2 3.8',
  filter: 'M2 3.5h12L9.5 8.8V13l-3-1.5V8.8Z',
} as const;

export type IconName = keyof typeof PATHS;

/** A line icon in the colour of the text; always beside words or inside a labelled control. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={size < 15 ? 1.7 : 1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      style={{ flex: 'none' }}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
