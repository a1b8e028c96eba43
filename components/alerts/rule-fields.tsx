'use client';

import { useId } from 'react';
import css from '@/components/alerts/alerts.module.css';
import { DIMENSION_OPTIONS, type DraftProblems, NO_DATA_OPTIONS, OPERATOR_OPTIONS, type RuleDraft } from '@/components/alerts/rule-draft';
import { Choices, SelectField, TextField } from '@/components/ui/field';
import { MEASURE_NAMES } from '@/lib/alerting/measures';
import { DIMENSIONS, SEVERITIES } from '@/lib/alerting/rule';
import { wordingOf } from '@/lib/alerting/wording';

interface RuleFieldsProps {
  readonly draft: RuleDraft;
  readonly problems: DraftProblems;
  readonly isNew: boolean;
  readonly isReadOnly: boolean;
  readonly channels: readonly string[];
  readonly onDraft: (part: Partial<RuleDraft>) => void;
}

const MEASURE_OPTIONS = [...MEASURE_NAMES].sort().map((value) => ({ value, text: value }));
const SEVERITY_OPTIONS = SEVERITIES.map((value) => ({ value, text: value }));

/** The fields of a rule, in the order in which it is thought: what, when, who. */
export function RuleFields(props: RuleFieldsProps) {
  return (
    <>
      <WhatFields {...props} />
      <WhenFields {...props} />
      <WhoFields {...props} />
    </>
  );
}

function WhatFields({ draft, problems, isNew, onDraft }: RuleFieldsProps) {
  const id = useId();
  return (
    <section className={css['form']} aria-label="What is measured">
      <TextField
        id={`${id}name`}
        label="Name"
        value={draft.name}
        problem={problems.name}
        readOnly={!isNew}
        onChange={(event) => onDraft({ name: event.target.value })}
      />
      <SelectField
        id={`${id}measure`}
        label="Measure"
        hint={`${wordingOf(draft).what}.`}
        value={draft.measure}
        options={MEASURE_OPTIONS}
        onValue={(measure) => onDraft({ measure })}
      />
      <SelectField id={`${id}op`} label="Fires when it is" value={draft.op} options={OPERATOR_OPTIONS} onValue={(op) => onDraft({ op })} />
      <TextField
        id={`${id}threshold`}
        label="Threshold"
        hint={unitOf(draft.measure)}
        inputMode="decimal"
        value={draft.threshold}
        problem={problems.threshold}
        onChange={(event) => onDraft({ threshold: event.target.value })}
      />
      {DIMENSIONS.map((dimension) => (
        <TextField
          key={dimension}
          id={`${id}filter-${dimension}`}
          label={`Only ${dimension}`}
          placeholder="any"
          value={draft.filter[dimension]}
          onChange={(event) => onDraft({ filter: { ...draft.filter, [dimension]: event.target.value } })}
        />
      ))}
      <div className={css['full']}>
        <Choices
          legend="An alert of its own for each"
          options={DIMENSION_OPTIONS}
          chosen={draft.groupBy}
          onChosen={(groupBy) => onDraft({ groupBy })}
        />
      </div>
    </section>
  );
}

function WhenFields({ draft, problems, onDraft }: RuleFieldsProps) {
  const id = useId();
  const durations = [
    ['window', 'Looks back', 'How far the measure reaches'],
    ['lasting', 'Fires after', 'How long it must last; 0 s fires at once'],
    ['keepFiring', 'Keeps firing', 'How long after the breach is gone'],
    ['groupWait', 'First message waits', 'So that alerts that come together are told together'],
    ['groupInterval', 'Between newcomers', 'Between messages about alerts that join'],
    ['repeat', 'Told again after', 'While nobody acknowledges'],
  ] as const;
  return (
    <section className={css['form']} aria-label="When it fires">
      {durations.map(([field, label, hint]) => (
        <TextField
          key={field}
          id={`${id}${field}`}
          label={label}
          hint={hint}
          value={draft[field]}
          problem={problems[field]}
          onChange={(event) => onDraft({ [field]: event.target.value })}
        />
      ))}
      <SelectField
        id={`${id}no-data`}
        label="Nothing to measure"
        value={draft.noData}
        options={NO_DATA_OPTIONS}
        onValue={(noData) => onDraft({ noData })}
      />
      <div className={css['full']}>
        <Choices
          legend="A notification of its own for each"
          hint="Of the labels above; alerts that share a notification are told in one message."
          options={DIMENSION_OPTIONS.filter(({ value }) => draft.groupBy.includes(value))}
          chosen={draft.notifyBy}
          onChosen={(notifyBy) => onDraft({ notifyBy })}
        />
      </div>
    </section>
  );
}

const EVERYWHERE = [{ value: 'all', text: 'every channel' }] as const;

function WhoFields({ draft, problems, channels, onDraft }: RuleFieldsProps) {
  const id = useId();
  const known = [...new Set([...channels, ...draft.channels, ...draft.escalateChannels])].map((value) => ({ value, text: value }));
  return (
    <section className={css['form']} aria-label="Who is told">
      <SelectField
        id={`${id}severity`}
        label="Severity"
        value={draft.severity}
        options={SEVERITY_OPTIONS}
        onValue={(severity) => onDraft({ severity })}
      />
      <TextField
        id={`${id}runbook`}
        label="Runbook"
        placeholder="https://"
        value={draft.runbook}
        problem={problems.runbook}
        onChange={(event) => onDraft({ runbook: event.target.value.trim() })}
      />
      <div className={css['full']}>
        <Choices
          legend="Told to"
          options={EVERYWHERE}
          chosen={draft.isEverywhere ? ['all'] : []}
          onChosen={(chosen) => onDraft({ isEverywhere: chosen.length > 0 })}
        />
        {!draft.isEverywhere && (
          <Choices
            legend="These channels"
            hint={draft.channels.length === 0 ? 'None: the rule is followed and nobody is told.' : ''}
            options={known}
            chosen={draft.channels}
            onChosen={(chosen) => onDraft({ channels: chosen })}
          />
        )}
      </div>
      <TextField
        id={`${id}escalate`}
        label="Not acknowledged after"
        hint="Then it goes to a second channel; empty for never"
        placeholder="never"
        value={draft.escalateAfter}
        problem={problems.escalateAfter}
        onChange={(event) => onDraft({ escalateAfter: event.target.value })}
      />
      {known.length > 0 && (
        <Choices
          legend="goes to"
          options={known}
          chosen={draft.escalateChannels}
          onChosen={(escalateChannels) => onDraft({ escalateChannels })}
        />
      )}
    </section>
  );
}

/** What the number of a measure counts. */
function unitOf(measure: string): string {
  if (measure === 'lead_to_floor') return 'events';
  if (measure === 'telemetry_stopped') return 'seconds';
  if (measure.endsWith('_rate')) return 'share of attempts, from 0 to 1';
  return measure.endsWith('_deviation') ? 'times the mean of the 24 windows before' : 'how many within the window';
}
