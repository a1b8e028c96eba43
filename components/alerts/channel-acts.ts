import { changeJson } from '@/components/api/get-json';

/** A channel whose secret was made just now; null when it kept the one it had. */
export interface MadeSecret {
  readonly name: string;
  readonly secret: string | null;
}

/** What can be done with a channel; each is one call of the API. */
export type ChannelAct = 'test' | 'rotate' | 'enable' | 'remove';

/** Does one thing with a channel; a new secret is answered, this once. */
export function actOnChannel({ name, what }: { name: string; what: ChannelAct }): Promise<{ readonly secret?: string | null }> {
  const path = `/api/v1/alerts/channels/${encodeURIComponent(name)}`;
  if (what === 'remove') return changeJson('DELETE', path);
  return changeJson('POST', `${path}/${what}`, what === 'rotate' ? {} : undefined);
}
