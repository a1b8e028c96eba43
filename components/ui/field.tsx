import type { ComponentProps, ReactNode } from 'react';
import { cx } from '@/components/ui/cx';
import css from '@/components/ui/field.module.css';

interface FieldProps {
  readonly id: string;
  readonly label: string;
  /** What the field takes; shown under it while nothing is wrong. */
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** A control with its name, and under it what it takes or what is wrong with it. */
export function Field({ id, label, hint, problem, className, children }: FieldProps) {
  return (
    <div className={cx(css['field'], className)}>
      <label htmlFor={id}>{label}</label>
      {children}
      {problem !== undefined ? (
        <p className={css['problem']} id={`${id}-note`}>
          {problem}
        </p>
      ) : (
        hint !== undefined && <p id={`${id}-note`}>{hint}</p>
      )}
    </div>
  );
}

type TextFieldProps = Omit<FieldProps, 'children'> & Omit<ComponentProps<'input'>, 'id' | 'className' | 'children'>;

/** A line of text with its name. */
export function TextField({ id, label, hint, problem, className, ...rest }: TextFieldProps) {
  return (
    <Field id={id} label={label} hint={hint} problem={problem} className={className}>
      <input
        id={id}
        className={css['control']}
        aria-invalid={problem !== undefined}
        aria-describedby={hint === undefined && problem === undefined ? undefined : `${id}-note`}
        autoComplete="off"
        spellCheck={false}
        {...rest}
      />
    </Field>
  );
}

interface SelectFieldProps<T extends string> extends Omit<FieldProps, 'children'> {
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly text: string }[];
  readonly disabled?: boolean;
  readonly onValue: (value: T) => void;
}

/** One of several values, by the browser's own list: it is the one that every device knows. */
export function SelectField<T extends string>({ id, value, options, disabled, onValue, ...field }: SelectFieldProps<T>) {
  const choose = (chosen: string) => {
    const known = options.find((option) => option.value === chosen);
    if (known !== undefined) onValue(known.value);
  };
  return (
    <Field id={id} {...field}>
      <select
        id={id}
        className={css['control']}
        value={value}
        disabled={disabled}
        aria-describedby={field.hint === undefined && field.problem === undefined ? undefined : `${id}-note`}
        onChange={(event) => choose(event.target.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </Field>
  );
}

interface ChoicesProps<T extends string> {
  readonly legend: string;
  readonly hint?: string;
  readonly options: readonly { readonly value: T; readonly text: string }[];
  readonly chosen: readonly T[];
  readonly disabled?: boolean;
  readonly onChosen: (chosen: T[]) => void;
}

/** Any of several values, in the order of the options. */
export function Choices<T extends string>({ legend, hint, options, chosen, disabled, onChosen }: ChoicesProps<T>) {
  const toggle = (value: T) => {
    const wanted = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
    onChosen(options.flatMap((option) => (wanted.includes(option.value) ? [option.value] : [])));
  };
  return (
    <fieldset className={css['choices']} disabled={disabled}>
      <legend>{legend}</legend>
      <div>
        {options.map(({ value, text }) => (
          <label key={value}>
            <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
            {text}
          </label>
        ))}
      </div>
      {hint !== undefined && <p>{hint}</p>}
    </fieldset>
  );
}
