/** Whether a value holds an integer beyond 2^53, whose digits a JSON reader may have rounded. */
export function holdsRoundedInteger(root: unknown): boolean {
  const left: unknown[] = [root];
  while (left.length > 0) {
    const value = left.pop();
    if (isRounded(value)) return true;
    if (value !== null && typeof value === 'object') for (const member of Object.values(value)) left.push(member);
  }
  return false;
}

/** The value with such integers as decimal text, the one form that every reader keeps. */
export function spellRoundedIntegers(value: unknown): unknown {
  return holdsRoundedInteger(value) ? spell(value) : value;
}

function spell(value: unknown): unknown {
  if (isRounded(value)) return BigInt(value).toString();
  if (Array.isArray(value)) return value.map(spell);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, spell(member)]));
}

function isRounded(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
}
