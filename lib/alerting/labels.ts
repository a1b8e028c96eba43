/** Names and values that tell one alert of a rule from another. */
export type Labels = Readonly<Record<string, string>>;

/** One text per set of labels, whatever the order they were given in. */
export const labelKey = (labels: Labels): string => JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));

/** The labels of `names` only. */
export const pick = (labels: Labels, names: readonly string[]): Labels =>
  Object.fromEntries(names.flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]]])));

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;
const U64 = 0xffffffffffffffffn;

/** 16 hexadecimal digits that stay the same for the same text, across processes and versions (FNV-1a over UTF-16 units). */
export function fingerprint(text: string): string {
  let hash = FNV_OFFSET;
  for (let index = 0; index < text.length; index += 1) hash = ((hash ^ BigInt(text.charCodeAt(index))) * FNV_PRIME) & U64;
  return hash.toString(16).padStart(16, '0');
}

/** PagerDuty takes 255 characters; a longer key keeps a readable head and ends in its fingerprint. */
const DEDUP_KEY_MAX = 255;

/** The key under which every notification of one rule and group is the same incident for the receiver. */
export function dedupKey(ruleName: string, groupKey: string): string {
  const key = `tidemark:${ruleName}:${groupKey}`;
  return key.length <= DEDUP_KEY_MAX ? key : `${key.slice(0, DEDUP_KEY_MAX - 17)}:${fingerprint(key)}`;
}
