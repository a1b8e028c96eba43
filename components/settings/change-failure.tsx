import { ApiFailure } from '@/components/api/api-failure';
import css from '@/components/settings/settings.module.css';

/** A change that the server did not make: why, and what to do. Nothing while all is well. */
export function ChangeFailure({ what, cause }: { readonly what: string; readonly cause: Error | null }) {
  if (cause === null) return null;
  const isKnown = cause instanceof ApiFailure;
  return (
    <p className={css['wrong']} role="alert">
      {what} {isKnown ? cause.message : 'The page met an error of its own.'}
      {isKnown && cause.nextStep !== null && ` Next step: ${cause.nextStep}.`}
    </p>
  );
}
