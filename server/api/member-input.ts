import Type from 'typebox';
import { ROLES } from '@/lib/access/roles';
import { literals } from '@/lib/wire/schema';
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '@/server/access/sign-in-library';

/** The addresses that the sign-in library takes; another one could never sign in. */
const EMAIL = "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9-]*\\.)+[A-Za-z]{2,}$";

export const Email = Type.String({ maxLength: 254, pattern: EMAIL, description: 'an e-mail address' });
export const PersonName = Type.String({ minLength: 1, maxLength: 100, pattern: '^\\P{Cc}*$', description: 'text of 1 to 100 characters' });
export const NewPassword = Type.String({
  minLength: PASSWORD_CHARS_MIN,
  maxLength: PASSWORD_CHARS_MAX,
  description: `a password of ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters`,
});
export const RoleInput = literals(ROLES);
/** A password or token as somebody typed it: nothing is said about its form. */
export const Typed = Type.String({ maxLength: 1_024, description: 'text of at most 1,024 characters' });
