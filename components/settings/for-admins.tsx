import { useMe } from '@/components/api/use-me';
import { Empty } from '@/components/states/empty';

/** What stands where only administrators look. */
export function ForAdmins({ what }: { readonly what: string }) {
  const me = useMe();
  return (
    <Empty title={`${what} are for administrators`}>
      {me.data?.role == null ? 'This needs the role admin.' : `You are signed in with the role ${me.data.role}.`} An administrator can
      change roles under Members.
    </Empty>
  );
}
