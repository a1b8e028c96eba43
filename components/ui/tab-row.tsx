import { neighbourTab } from '@/components/ui/neighbour-tab';
import css from '@/components/ui/tab-row.module.css';

interface TabRowProps<T extends string> {
  readonly label: string;
  /** In their order, and what each is called. */
  readonly tabs: readonly T[];
  readonly names: Readonly<Record<T, string>>;
  readonly chosen: T;
  /** Id of the element that shows the chosen one; it is labelled by `tab-` and the chosen tab. */
  readonly panel: string;
  readonly onChoose: (tab: T) => void;
}

/** The tabs of a page in a row; the arrow keys lead from one to the next. */
export function TabRow<T extends string>({ label, tabs, names, chosen, panel, onChoose }: TabRowProps<T>) {
  return (
    <div className={css['tabs']} role="tablist" aria-label={label}>
      {tabs.map((tab) => (
        <button
          key={tab}
          id={`tab-${tab}`}
          type="button"
          role="tab"
          className={css['tab']}
          aria-selected={tab === chosen}
          aria-controls={panel}
          tabIndex={tab === chosen ? 0 : -1}
          onClick={() => onChoose(tab)}
          onKeyDown={(event) => {
            const next = neighbourTab(tabs, tab, event.key);
            if (next === null) return;
            onChoose(next);
            document.getElementById(`tab-${next}`)?.focus();
          }}
        >
          {names[tab]}
        </button>
      ))}
    </div>
  );
}
