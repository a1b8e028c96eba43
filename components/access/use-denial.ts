import { useMay, useMe } from '@/components/api/use-me';

const WHO = { operate: 'operators and administrators', admin: 'administrators' } as const;

/**
 * Why the reader may not make a change that needs a scope: null where they may, empty until that is known. Where nobody
 * is asked to sign in, everybody may. The server refuses all the same; this keeps a page from offering what is refused.
 */
export function useDenial(scope: keyof typeof WHO = 'operate'): string | null {
  const me = useMe();
  const may = useMay(scope);
  if (may) return null;
  if (me.data === undefined) return '';
  return `This is for ${WHO[scope]}${me.data.role === null ? '' : `; your role is ${me.data.role}`}.`;
}
