/** Where a typed text can lead by itself. */
export interface Jump {
  readonly href: string;
  readonly words: string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const SESSION_REF = /^[0-9a-f]{32}$/;
const SHORTEST = 2;

/** What can be opened with a typed text: a session by its reference, an attempt or a finding by its id, else the records that hold it. */
export function jumpsOf(typed: string): Jump[] {
  const text = typed.trim();
  const id = text.toLowerCase();
  if (SESSION_REF.test(id)) return [{ href: `/sessions/${id}`, words: 'Open the session of this reference' }];
  if (UUID.test(id)) {
    return [
      { href: `/attempts/${id}`, words: 'Open the attempt of this id' },
      { href: `/findings/${id}`, words: 'Open the finding of this id' },
    ];
  }
  if (text.length < SHORTEST) return [];
  return [{ href: `/attempts?q=${encodeURIComponent(text)}`, words: `Attempts whose record holds “${text}”` }];
}
