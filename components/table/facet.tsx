import { formatCount } from '@/components/format/count';
import css from '@/components/table/facet.module.css';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import type { Mark } from '@/lib/resume/mark';

export type FacetCounts = ReadonlyMap<string, number>;

interface FacetProps<T extends string> {
  readonly name: string;
  readonly options: readonly T[];
  readonly chosen: readonly T[];
  readonly counts: FacetCounts | undefined;
  readonly onToggle: (option: T) => void;
  readonly wordOf?: (option: T) => string;
  readonly markOf?: (option: T) => Mark;
}

/** The values of one property with their counts, each to be chosen or not. Nothing where no value occurs. */
export function Facet<T extends string>({ name, options, chosen, counts, onToggle, wordOf, markOf }: FacetProps<T>) {
  if (options.length === 0) return null;
  return (
    <fieldset className={css['facet']} aria-label={name}>
      <h2>{name}</h2>
      {options.map((option) => {
        const mark = markOf?.(option);
        return (
          <label key={option} className={css['option']}>
            <input type="checkbox" checked={chosen.includes(option)} onChange={() => onToggle(option)} />
            {mark !== undefined && <VerdictMark mark={mark} />}
            <span className={css['name']} title={option}>
              {wordOf?.(option) ?? option}
            </span>
            <span className={css['count']}>{formatCount(counts?.get(option) ?? 0)}</span>
          </label>
        );
      })}
    </fieldset>
  );
}

/** A list with one member put in or taken out; null when nothing is left, so that the URL is clean. */
export function toggled<T extends string>(list: readonly T[] | null, member: T): T[] | null {
  const all = list ?? [];
  const next = all.includes(member) ? all.filter((one) => one !== member) : [...all, member];
  return next.length === 0 ? null : next;
}
