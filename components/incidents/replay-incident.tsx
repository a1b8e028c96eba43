'use client';

import { Dialog } from 'radix-ui';
import { type FormEvent, useState } from 'react';
import { ChangeButton } from '@/components/access/change-button';
import { ChangeFailure } from '@/components/alerts/change-failure';
import { type ReplayState, type ReplayWish, useReplay, useReplayPlan } from '@/components/api/use-replay';
import { countOf } from '@/components/format/count';
import css from '@/components/incidents/replay-incident.module.css';
import { planWords, replayWords } from '@/components/incidents/replay-words';
import { ReplayedResumes } from '@/components/incidents/replayed-resumes';
import { Bone } from '@/components/states/bone';
import { QueryFailure } from '@/components/states/query-failure';
import { Button } from '@/components/ui/button';
import { SelectField, TextField } from '@/components/ui/field';
import { Icon } from '@/components/ui/icon';
import { REPLAY_RATE, REPLAY_SPEED, type ReplayPlan } from '@/lib/incidents/replay-schema';

/** Does a recorded incident again against a server that the configuration allows, and shows recorded beside actual verdicts as they come. */
export function ReplayIncident({ id }: { readonly id: string }) {
  const [isOpen, setOpen] = useState(false);
  const plan = useReplayPlan(id, isOpen);
  const { state, start, stop } = useReplay(id);
  const isRunning = state.kind === 'running';
  const onOpenChange = (next: boolean) => {
    // A replay that nobody sees is stopped rather than left to run.
    if (!next) stop();
    setOpen(next);
  };
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <Dialog.Trigger asChild>
        <ChangeButton className={css['trigger']} title="Do it again against a live server">
          <Icon name="play" size={12} />
          Replay
        </ChangeButton>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className={css['overlay']} />
        <Dialog.Content className={css['dialog']}>
          <Dialog.Title>Replay against a live server</Dialog.Title>
          <Dialog.Description className={css['words']}>
            The recorded sessions are opened, dropped and resumed with the recorded cursors. No tool is called, and the sessions are ended
            afterwards.
          </Dialog.Description>
          <QueryFailure what="The plan" query={plan} />
          {plan.isPending && <Bone height={120} />}
          {plan.data !== undefined && <ReplayForm plan={plan.data} isRunning={isRunning} onStart={(wish) => void start(wish)} />}
          <Outcome state={state} />
          <div className={css['acts']}>
            {isRunning && <Button onClick={stop}>Stop</Button>}
            <Dialog.Close asChild>
              <Button>Close</Button>
            </Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface ReplayFormProps {
  readonly plan: ReplayPlan;
  readonly isRunning: boolean;
  readonly onStart: (wish: ReplayWish) => void;
}

const SPEEDS = [1, 10, 100, 1_000].map((speed) => ({ value: String(speed), text: speed === 1 ? 'as recorded' : `${speed} times as fast` }));
const RATES = [1, REPLAY_RATE.usual, 20, REPLAY_RATE.most].map((rate) => ({ value: String(rate), text: `${rate} a second` }));

function ReplayForm({ plan, isRunning, onStart }: ReplayFormProps) {
  const [target, setTarget] = useState(plan.targets[0]?.name ?? '');
  const [speed, setSpeed] = useState(String(REPLAY_SPEED.usual));
  const [rate, setRate] = useState(String(REPLAY_RATE.usual));
  const [authorization, setAuthorization] = useState('');
  const [isConfirmed, setConfirmed] = useState(false);
  const url = plan.targets.find(({ name }) => name === target)?.url;
  if (url === undefined) {
    return (
      <p className={css['words']}>
        No target is allowed here. Name one in <code>replay.targets</code> of the configuration file, or add a proxy route, and start again.
      </p>
    );
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setConfirmed(false);
    onStart({ target, speed: Number(speed), rate: Number(rate), authorization });
  };
  return (
    <form className={css['form']} onSubmit={onSubmit} autoComplete="off">
      <SelectField
        id="replay-target"
        label="Target"
        hint={url}
        value={target}
        options={plan.targets.map(({ name }) => ({ value: name, text: name }))}
        onValue={setTarget}
      />
      <div className={css['pair']}>
        <SelectField id="replay-speed" label="Pace" value={speed} options={SPEEDS} onValue={setSpeed} />
        <SelectField id="replay-rate" label="Requests at most" value={rate} options={RATES} onValue={setRate} />
      </div>
      <TextField
        id="replay-authorization"
        label="Authorization header"
        hint="Sent with every request, kept nowhere."
        type="password"
        value={authorization}
        onChange={(event) => setAuthorization(event.target.value)}
      />
      <label className={css['confirm']}>
        <input type="checkbox" checked={isConfirmed} disabled={isRunning} onChange={(event) => setConfirmed(event.target.checked)} />
        <span>{planWords(plan, url, Number(speed), Number(rate))}</span>
      </label>
      <Button type="submit" look="primary" disabled={!isConfirmed || isRunning || plan.steps === 0}>
        Start
      </Button>
    </form>
  );
}

function Outcome({ state }: { readonly state: ReplayState }) {
  if (state.kind === 'idle') return null;
  if (state.kind === 'failed') return <ChangeFailure what="The replay ended." cause={state.cause} />;
  const items = state.kind === 'done' ? state.result.items : state.items;
  return (
    <section aria-label="Recorded and actual verdicts" className={css['outcome']}>
      <p role="status">{replayWords(state)}</p>
      {state.kind === 'running' && state.steps > 0 && (
        <progress value={state.done} max={state.steps} aria-label={`${countOf(state.done, 'step')} of ${state.steps}`} />
      )}
      {items.length > 0 && <ReplayedResumes items={items} />}
    </section>
  );
}
