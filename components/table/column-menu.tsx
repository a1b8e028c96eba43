'use client';

import type { ColumnDef } from '@tanstack/react-table';
import { DropdownMenu } from 'radix-ui';
import { columnId } from '@/components/table/record-table';
import type { ColumnChoice } from '@/components/table/use-column-choice';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';
import menu from '@/components/ui/menu.module.css';

interface ColumnMenuProps<T> {
  readonly columns: ColumnDef<T>[];
  readonly choice: ColumnChoice;
}

/** Which columns are shown. The first one always is: it opens the row. */
export function ColumnMenu<T>({ columns, choice: { shown, setShown } }: ColumnMenuProps<T>) {
  const ids = columns.slice(1).map(columnId);
  const toggle = (id: string) => {
    const now = shown ?? ids;
    setShown(ids.filter((one) => (one === id ? !now.includes(id) : now.includes(one))));
  };
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <Button aria-label="Columns" title="Columns">
          <Icon name="columns" size={12} />
          <span className={menu['wide']}>Columns</span>
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={menu['panel']} align="end" sideOffset={6}>
          {columns.slice(1).map((column) => {
            const id = columnId(column);
            return (
              <DropdownMenu.CheckboxItem
                key={id}
                className={menu['item']}
                checked={shown === null || shown.includes(id)}
                onSelect={(event) => event.preventDefault()}
                onCheckedChange={() => toggle(id)}
              >
                <span className={menu['check']}>
                  <DropdownMenu.ItemIndicator>
                    <Icon name="check" size={12} />
                  </DropdownMenu.ItemIndicator>
                </span>
                {typeof column.header === 'string' ? column.header : id}
              </DropdownMenu.CheckboxItem>
            );
          })}
          <DropdownMenu.Separator className={menu['rule']} />
          <DropdownMenu.Item className={menu['item']} disabled={shown === null} onSelect={() => setShown(null)}>
            As many as fit
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
