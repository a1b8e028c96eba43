'use client';

import { type FormEvent, useId, useState } from 'react';
import { postJson } from '@/components/api/get-json';
import { ChangeFailure } from '@/components/settings/change-failure';
import css from '@/components/settings/settings.module.css';
import { useSettingsChange } from '@/components/settings/use-settings';
import { Button } from '@/components/ui/button';
import { Choices, SelectField, TextField } from '@/components/ui/field';
import type { Scope } from '@/lib/http/caller';
import type { AccessKeyMade } from '@/lib/wire/responses';

const SCOPES: readonly { readonly value: Scope; readonly text: string }[] = [
  { value: 'ingest', text: 'ingest: send telemetry' },
  { value: 'read', text: 'read' },
  { value: 'operate', text: 'operate: read and act' },
  { value: 'admin', text: 'admin: everything' },
];
const DAY_S = 86_400;
const TERMS = [
  { value: 'never', text: 'never' },
  { value: '30', text: 'after 30 days' },
  { value: '90', text: 'after 90 days' },
  { value: '365', text: 'after a year' },
] as const;
type Term = (typeof TERMS)[number]['value'];

/** Makes a key; its text is shown once. */
export function KeyForm({ onDone }: { readonly onDone: (made: AccessKeyMade | null) => void }) {
  const id = useId();
  const [label, setLabel] = useState('');
  const [project, setProject] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['ingest']);
  const [term, setTerm] = useState<Term>('never');
  const make = useSettingsChange(() =>
    postJson<AccessKeyMade>('/api/v1/keys', {
      label: label.trim(),
      scopes,
      ...(project.trim() === '' ? {} : { project: project.trim() }),
      ...(term === 'never' ? {} : { expires_in_s: Number(term) * DAY_S }),
    }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (scopes.length > 0) make.mutate(undefined, { onSuccess: onDone });
  };
  return (
    <form onSubmit={submit} aria-label="New key">
      <div className={css['form']}>
        <TextField
          id={`${id}label`}
          label="Label"
          hint="What stands in the change log for whoever sends it"
          required
          maxLength={100}
          value={label}
          onChange={(event) => setLabel(event.target.value)}
        />
        <TextField
          id={`${id}project`}
          label="Project"
          hint="May stay empty"
          maxLength={100}
          value={project}
          onChange={(event) => setProject(event.target.value)}
        />
        <SelectField id={`${id}term`} label="Expires" value={term} options={TERMS} onValue={setTerm} />
        <Choices legend="Scopes" options={SCOPES} chosen={scopes} onChosen={setScopes} />
      </div>
      <div className={css['acts']}>
        <Button type="submit" look="primary" disabled={make.isPending || scopes.length === 0}>
          Make the key
        </Button>
        <Button look="ghost" onClick={() => onDone(null)}>
          Cancel
        </Button>
      </div>
      <ChangeFailure what="The key could not be made:" cause={make.error} />
    </form>
  );
}
