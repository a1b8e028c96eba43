'use client';

import { type FormEvent, useEffect, useState } from 'react';
import css from '@/components/compare/compare.module.css';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/field';
import { Icon } from '@/components/ui/icon';

interface SidePickerProps {
  readonly left: string;
  readonly right: string;
  readonly onPick: (picked: { readonly left: string; readonly right: string }) => void;
}

const KNOWN = /^([0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;
const PROBLEM = 'a session reference of 32 hexadecimal digits, or the id of an incident';

/** Which two histories are compared. An address of either page may be pasted: its last part counts. */
export function SidePicker({ left, right, onPick }: SidePickerProps) {
  const [draft, setDraft] = useState({ left, right });
  const [isTried, setTried] = useState(false);
  useEffect(() => setDraft({ left, right }), [left, right]);
  const named = { left: nameIn(draft.left), right: nameIn(draft.right) };
  const problem = (side: 'left' | 'right') => (isTried && !KNOWN.test(named[side]) ? PROBLEM : undefined);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (KNOWN.test(named.left) && KNOWN.test(named.right)) onPick(named);
  };
  return (
    <form className={css['picker']} onSubmit={onSubmit}>
      <TextField
        id="compare-left"
        label="Left"
        problem={problem('left')}
        value={draft.left}
        onChange={(event) => setDraft({ ...draft, left: event.target.value })}
      />
      <TextField
        id="compare-right"
        label="Right"
        problem={problem('right')}
        value={draft.right}
        onChange={(event) => setDraft({ ...draft, right: event.target.value })}
      />
      <Button type="submit">
        <Icon name="compare" size={13} />
        Compare
      </Button>
    </form>
  );
}

/** The reference in what was typed or pasted. */
function nameIn(text: string): string {
  const [path = ''] = text.trim().split(/[?#]/);
  const parts = path.split('/').filter((part) => part !== '' && part !== 'debug');
  return (parts.at(-1) ?? '').toLowerCase();
}
