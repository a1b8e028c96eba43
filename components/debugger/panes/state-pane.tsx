'use client';

import { pendingAt } from '@/components/debugger/model/calls';
import { type Lead, leadAt } from '@/components/debugger/model/lead';
import { sessionNow } from '@/components/debugger/model/session-now';
import { stepAsOf } from '@/components/debugger/model/session-scene';
import { durationText } from '@/components/debugger/model/span-words';
import css from '@/components/debugger/panes/panes.module.css';
import type { Scene } from '@/components/debugger/use-scene';
import { countOf, formatCount, rangeOf } from '@/components/format/count';
import { timeOfDay } from '@/components/format/instant';
import { zoneName } from '@/components/format/zone';
import { RetainedBar } from '@/components/session/retained-bar';
import { parsePosition } from '@/lib/base/position';

const PENDING_SHOWN = 4;

/** Everything that is known as of a record: session, generation, what is retained, what each client holds, what waits. */
export function StatePane({ scene, index }: { readonly scene: Scene; readonly index: number }) {
  const { history, steps, all, groups, calls } = scene;
  const x = history.xs[index] ?? 0;
  const step = stepAsOf(steps, index);
  const session = sessionNow(all, index);
  const lead = leadAt(groups, x);
  const held = lead === null ? null : lead.group.base + BigInt(lead.client);
  const cursors = step === null ? [] : Object.entries(step.state.cursors);
  const shown = scene.plotted.get(index)?.cursor ?? parsePosition(cursors[0]?.[1]) ?? held;
  const pending = pendingAt(calls, index, PENDING_SHOWN + 1);
  const instant = (place: number): string => (history.axis === 'time' ? timeOfDay(history.xs[place] ?? 0) : `record ${place + 1}`);
  return (
    <section aria-label="State">
      <h2>
        State after record {formatCount(index + 1)}{' '}
        {history.axis === 'time' && (
          <code className={css['faint']}>
            {timeOfDay(x)} {zoneName(x)}
          </code>
        )}
      </h2>
      {step !== null && <RetainedBar state={step.state} cursor={shown} />}
      <dl className={css['facts']}>
        <dt>Session</dt>
        <dd>{session === null ? 'not heard of yet' : `${session.state}, first seen ${instant(session.firstSeen)}`}</dd>
        <dt>Generation</dt>
        <dd>{step?.state.generation ?? 'not reported by this server'}</dd>
        <dt>Retained</dt>
        <dd>{step === null ? 'not known' : retainedWords(step.state)}</dd>
        <dt>Cursors</dt>
        <dd>{cursorWords(cursors, held)}</dd>
        <dt>Lead</dt>
        <dd>{lead === null ? 'not known' : leadWords(lead)}</dd>
        <dt>Pending calls</dt>
        <dd>
          {pending.length === 0 && 'none'}
          {pending.slice(0, PENDING_SHOWN).map((call) => (
            <span key={call.start} className={css['row']}>
              <code>
                {call.id} {call.name}
              </code>
              , {durationText(x - (history.xs[call.start] ?? x), history.axis)}
              {call.fate === 'lost' && (call.answeredAt ?? index) < index && <b className={css['hot']}> answered, never delivered</b>}
            </span>
          ))}
          {pending.length > PENDING_SHOWN && <span className={css['row']}>and more</span>}
        </dd>
      </dl>
    </section>
  );
}

function retainedWords({ floor, head, holes }: { floor: unknown; head: unknown; holes: readonly (readonly [unknown, unknown])[] }): string {
  if (floor === null && head === null) return 'not known';
  const shown = holes.slice(0, 3).map(([first, last]) => rangeOf(String(first), String(last)));
  const more = holes.length > 3 ? ` and ${holes.length - 3} more` : '';
  return `${floor ?? 'unknown'} to ${head ?? 'unknown'}${holes.length === 0 ? '' : `, without ${shown.join(', ')}${more}`}`;
}

function cursorWords(cursors: readonly (readonly [string, unknown])[], held: bigint | null): string {
  if (cursors.length > 0)
    return cursors
      .slice(0, 4)
      .map(([conn, position]) => `${conn} ${position}`)
      .join(', ');
  return held === null ? 'no connection' : `no connection; the client keeps ${held}`;
}

function leadWords({ client, floor, isLost }: Lead): string {
  return isLost ? 'lost: what it needs next is gone' : `${countOf(client - floor + 1, 'event')} until something is lost`;
}
