'use client';

import { useId, useState } from 'react';
import { ConfirmButton } from '@/components/settings/confirm-button';
import { KEY_TERMS, type KeyTerm, secondsOf } from '@/components/settings/key-term';
import css from '@/components/settings/settings.module.css';
import { SelectField } from '@/components/ui/field';

const OVERLAPS = [
  { value: '0', text: 'not at all' },
  { value: '3600', text: 'for an hour' },
  { value: '86400', text: 'for 24 hours' },
  { value: '604800', text: 'for 7 days' },
] as const;
type Overlap = (typeof OVERLAPS)[number]['value'];

const TERMS = [{ value: 'same', text: 'when the old one would' }, ...KEY_TERMS] as const;
type Term = 'same' | KeyTerm;

/** How a key is replaced. */
export interface Rotation {
  /** Seconds that the old key passes beside the new one. */
  readonly overlapS: number;
  /** Seconds until the new key expires, null for never; undefined leaves it as it was for the old one. */
  readonly expiresInS: number | null | undefined;
}

interface RotateButtonProps {
  readonly label: string;
  /** Whether the old key has an end of its own. */
  readonly isTermed: boolean;
  readonly disabled: boolean;
  readonly onRotate: (rotation: Rotation) => void;
}

/** Replaces a key: asks how long the old one passes beside the new one, and when the new one ends. */
export function RotateButton({ label, isTermed, disabled, onRotate }: RotateButtonProps) {
  const id = useId();
  const [overlap, setOverlap] = useState<Overlap>('86400');
  const [term, setTerm] = useState<Term>(isTermed ? 'same' : 'never');
  const fields = (
    <div className={css['form']}>
      <SelectField id={`${id}overlap`} label="The old key passes on" value={overlap} options={OVERLAPS} onValue={setOverlap} />
      <SelectField
        id={`${id}term`}
        label="The new key expires"
        value={term}
        options={isTermed ? TERMS : KEY_TERMS}
        onValue={(value: Term) => setTerm(value)}
      />
    </div>
  );
  return (
    <ConfirmButton
      act="Rotate"
      label={`Rotate ${label}`}
      question={`Rotate ${label}?`}
      disabled={disabled}
      fields={fields}
      onConfirm={() => onRotate({ overlapS: Number(overlap), expiresInS: term === 'same' ? undefined : secondsOf(term) })}
    >
      A new key of the same scopes is made and shown once.{' '}
      {overlap === '0'
        ? 'Whatever sends the old one is refused from now on.'
        : 'The old one passes beside it meanwhile; revoke it as soon as the new one is everywhere.'}
    </ConfirmButton>
  );
}
