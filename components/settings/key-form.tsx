'use client';

import { type FormEvent, useId, useState } from 'react';
import { postJson } from '@/components/api/get-json';
import { ChangeFailure } from '@/components/settings/change-failure';
import { KEY_TERMS, type KeyTerm, secondsOf } from '@/components/settings/key-term';
import css from '@/components/settings/settings.module.css';
import { useSettingsChange } from '@/components/settings/use-settings';
import { Button } from '@/components/ui/button';
import { Choices, SelectField, TextField } from '@/components/ui/field';
import type { Scope } from '@/lib/http/caller';
import type { AccessKeyMade } from '@/lib/wire/key-responses';

const SCOPES: readonly { readonly value: Scope; readonly text: string }[] = [
  { value: 'ingest', text: 'ingest: send telemetry' },
  { value: 'read', text: 'read' },
  { value: 'operate', text: 'operate: read and act' },
  { value: 'admin', text: 'admin: everything' },
];
interface KeyFormProps {
  /** Names of those that take keys, the default one first. */
  readonly projects: readonly string[];
  /** The one that is chosen at first. */
  readonly defaultProject: string;
  readonly onDone: (made: AccessKeyMade | null) => void;
}

/** Makes a key; its text is shown once. */
export function KeyForm({ projects, defaultProject, onDone }: KeyFormProps) {
  const id = useId();
  const [label, setLabel] = useState('');
  const [project, setProject] = useState(defaultProject);
  const [scopes, setScopes] = useState<readonly Scope[]>(['ingest']);
  const [term, setTerm] = useState<KeyTerm>('never');
  const expiresInS = secondsOf(term);
  const make = useSettingsChange(() =>
    postJson<AccessKeyMade>('/api/v1/keys', {
      label: label.trim(),
      scopes,
      project,
      ...(expiresInS === null ? {} : { expires_in_s: expiresInS }),
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
        <SelectField
          id={`${id}project`}
          label="Project"
          hint="Whose servers it may send records of"
          value={project}
          options={projects.map((value) => ({ value, text: value }))}
          onValue={setProject}
        />
        <SelectField id={`${id}term`} label="Expires" value={term} options={KEY_TERMS} onValue={setTerm} />
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
