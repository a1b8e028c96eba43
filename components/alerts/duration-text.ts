const UNITS: readonly { readonly seconds: number; readonly word: string; readonly names: readonly string[] }[] = [
  { seconds: 86_400, word: 'd', names: ['d', 'day', 'days'] },
  { seconds: 3_600, word: 'h', names: ['h', 'hour', 'hours'] },
  { seconds: 60, word: 'min', names: ['m', 'min', 'minute', 'minutes'] },
  { seconds: 1, word: 's', names: ['s', 'sec', 'second', 'seconds'] },
];

/** A duration of whole seconds as one would type it, in its largest exact unit: `5 min`, `90 s`. */
export function durationText(seconds: number): string {
  const unit = UNITS.find((one) => seconds !== 0 && seconds % one.seconds === 0);
  return unit === undefined ? `${seconds} s` : `${seconds / unit.seconds} ${unit.word}`;
}

/** Reads a typed duration into whole seconds; a bare number is seconds. Null when it is none. */
export function parseDuration(text: string): number | null {
  const [, amount, name] = /^\s*(\d{1,7})\s*([a-z]*)\s*$/i.exec(text) ?? [];
  if (amount === undefined || name === undefined) return null;
  if (name === '') return Number(amount);
  const unit = UNITS.find(({ names }) => names.includes(name.toLowerCase()));
  return unit === undefined ? null : Number(amount) * unit.seconds;
}
