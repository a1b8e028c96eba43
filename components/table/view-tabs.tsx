'use client';

import Link from 'next/link';
import { usePathname, useSearchParams } from 'next/navigation';
import { Popover } from 'radix-ui';
import { type FormEvent, useState } from 'react';
import { hrefOfView, readViews, searchOfView, VIEW_NAME_MAX, type View, withView } from '@/components/table/saved-views';
import css from '@/components/table/view-tabs.module.css';
import { useToast } from '@/components/toast/toasts';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';
import { useStored } from '@/components/ui/use-stored';

interface ViewTabsProps {
  /** Name of the list, under which this browser keeps its views. */
  readonly list: string;
  /** The views that everyone has. */
  readonly views: readonly View[];
}

const NONE: readonly View[] = [];

/** Lists that one comes back to: those that everyone has, and those that were saved in this browser. */
export function ViewTabs({ list, views }: ViewTabsProps) {
  const pathname = usePathname();
  const params = useSearchParams();
  const [kept, setKept] = useStored(`tidemark-views-${list}`, readViews);
  const toast = useToast();
  const saved = kept ?? NONE;
  const now = searchOfView(new URLSearchParams(params));
  const isKnown = [...views, ...saved].some(({ search }) => search === now);
  const save = (name: string) => {
    setKept(JSON.stringify(withView(saved, { name, search: now })));
    toast({ key: 'view', words: `The view “${name}” is kept in this browser. Copy the link to hand it to others.` });
  };
  const forget = (view: View) => {
    setKept(JSON.stringify(saved.filter(({ name }) => name !== view.name)));
    toast({
      key: 'view',
      words: `The view “${view.name}” is forgotten.`,
      act: { label: 'Undo', run: () => setKept(JSON.stringify(withView(saved, view))) },
    });
  };
  const tab = (view: View) => (
    <Link
      className={css['tab']}
      href={hrefOfView(pathname, view, new URLSearchParams(params))}
      aria-current={view.search === now ? 'true' : undefined}
    >
      {view.name}
    </Link>
  );
  return (
    <nav className={css['tabs']} aria-label="Views">
      {views.map((view) => (
        <span key={view.search}>{tab(view)}</span>
      ))}
      {saved.map((view) => (
        <span key={`saved ${view.name}`} className={css['saved']}>
          {tab(view)}
          {view.search === now && (
            <button type="button" className={css['forget']} aria-label={`Forget the view ${view.name}`} onClick={() => forget(view)}>
              <Icon name="close" size={10} />
            </button>
          )}
        </span>
      ))}
      <span className={css['space']} />
      {!isKnown && <SaveView onSave={save} />}
    </nav>
  );
}

function SaveView({ onSave }: { readonly onSave: (name: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    onSave(name.trim());
    setOpen(false);
    setName('');
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <button type="button" className={css['save']}>
          Save this view
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className={css['panel']} align="end" sideOffset={4} aria-label="Save this view">
          <form className={css['form']} onSubmit={submit}>
            <label htmlFor="view-name">Name</label>
            <input
              id="view-name"
              value={name}
              maxLength={VIEW_NAME_MAX}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
            <Button type="submit" look="primary">
              Save
            </Button>
          </form>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
