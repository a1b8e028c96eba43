'use client';

import { useId } from 'react';
import { TextField } from '@/components/ui/field';

const CHARS_MIN = 12;
const CHARS_MAX = 128;

/** What is wrong with a new password, typed twice; null when nothing is. */
export function passwordProblem(password: string, again: string): { readonly field: 'password' | 'again'; readonly words: string } | null {
  if (password.length < CHARS_MIN) return { field: 'password', words: `At least ${CHARS_MIN} characters` };
  if (password.length > CHARS_MAX) return { field: 'password', words: `At most ${CHARS_MAX} characters` };
  return password === again ? null : { field: 'again', words: 'Not the same as above' };
}

interface PasswordFieldsProps {
  readonly password: string;
  readonly again: string;
  readonly problem: ReturnType<typeof passwordProblem>;
  readonly onPassword: (text: string) => void;
  readonly onAgain: (text: string) => void;
}

/** A new password, twice. */
export function PasswordFields({ password, again, problem, onPassword, onAgain }: PasswordFieldsProps) {
  const id = useId();
  return (
    <>
      <TextField
        id={`${id}password`}
        label="New password"
        type="password"
        autoComplete="new-password"
        required
        hint={`${CHARS_MIN} characters or more; several words are easy to keep in mind`}
        problem={problem?.field === 'password' ? problem.words : undefined}
        value={password}
        onChange={(event) => onPassword(event.target.value)}
      />
      <TextField
        id={`${id}again`}
        label="The same again"
        type="password"
        autoComplete="new-password"
        required
        problem={problem?.field === 'again' ? problem.words : undefined}
        value={again}
        onChange={(event) => onAgain(event.target.value)}
      />
    </>
  );
}
