'use client';

import { type FormEvent, useState } from 'react';
import { ChangeButton } from '@/components/access/change-button';
import { useDenial } from '@/components/access/use-denial';
import { ChangeFailure } from '@/components/alerts/change-failure';
import { useMyName } from '@/components/alerts/use-my-name';
import { changeJson } from '@/components/api/get-json';
import { useIncidentChange, useIncidentLog } from '@/components/api/use-incidents';
import { fullInstant } from '@/components/format/instant';
import { zoneName } from '@/components/format/zone';
import css from '@/components/incidents/incident-page.module.css';
import { logWords } from '@/components/incidents/incident-words';
import { QueryFailure } from '@/components/states/query-failure';
import type { IncidentLog } from '@/lib/incidents/answer-schema';

/** What happened to the incident and what was said about it, newest first, and a place to say something. */
export function IncidentLogPane({ id }: { readonly id: string }) {
  const log = useIncidentLog(id);
  return (
    <section aria-label="Comments and log">
      <h2>Comments and log</h2>
      <CommentForm id={id} />
      <QueryFailure what="The log" query={log} />
      <ol className={css['log']}>
        {[...(log.data?.items ?? [])].reverse().map((entry) => (
          <li key={entry.seq}>
            <span>{logWords(entry)}</span>
            <time dateTime={entry.at} title={fullInstant(Date.parse(entry.at))}>
              {fullInstant(Date.parse(entry.at)).slice(0, 16)} {zoneName(Date.parse(entry.at))}
            </time>
          </li>
        ))}
      </ol>
    </section>
  );
}

function CommentForm({ id }: { readonly id: string }) {
  const [text, setText] = useState('');
  const [name] = useMyName();
  const denial = useDenial();
  const say = useIncidentChange((said: string) =>
    changeJson<IncidentLog>('POST', `/api/v1/incidents/${id}/comments`, name === '' ? { text: said } : { text: said, author: name }),
  );
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') say.mutate(text.trim(), { onSuccess: () => setText('') });
  };
  return (
    <form className={css['comment']} onSubmit={onSubmit}>
      <textarea
        aria-label="Comment"
        placeholder={denial ?? 'What is known, what was tried'}
        disabled={denial !== null}
        rows={2}
        maxLength={10_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <ChangeButton type="submit" disabled={say.isPending || text.trim() === ''}>
        Comment
      </ChangeButton>
      <ChangeFailure what="The comment was not stored." cause={say.error} />
    </form>
  );
}
