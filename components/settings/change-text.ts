/** What a change made of what, as one line: `role viewer → admin`; empty where the action says it all. */
export function changeText(from: unknown, to: unknown): string {
  const before = membersOf(from);
  const after = membersOf(to);
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names
    .flatMap((name) => {
      const [was, is] = [before.get(name), after.get(name)];
      if (was === is) return [];
      const title = name === '' ? '' : `${name.replaceAll('_', ' ')} `;
      if (was === undefined || is === undefined) return [`${title}${was ?? is}`];
      return [`${title}${was} → ${is}`];
    })
    .join(' · ');
}

/** The members of a value as text; a bare value has no name. */
function membersOf(value: unknown): ReadonlyMap<string, string> {
  if (value === null || value === undefined) return new Map();
  if (typeof value !== 'object' || Array.isArray(value)) return new Map([['', textOf(value)]]);
  return new Map(Object.entries(value).flatMap(([name, inner]) => (inner === null ? [] : [[name, textOf(inner)] as const])));
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
