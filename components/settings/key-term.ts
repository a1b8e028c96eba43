const DAY_S = 86_400;

/** When a key that is made expires. */
export const KEY_TERMS = [
  { value: 'never', text: 'never' },
  { value: '30', text: 'after 30 days' },
  { value: '90', text: 'after 90 days' },
  { value: '365', text: 'after a year' },
] as const;
export type KeyTerm = (typeof KEY_TERMS)[number]['value'];

/** Seconds until then; null is never. */
export const secondsOf = (term: KeyTerm): number | null => (term === 'never' ? null : Number(term) * DAY_S);
