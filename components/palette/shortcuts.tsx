'use client';

import { Dialog } from 'radix-ui';
import css from '@/components/palette/palette.module.css';
import { PLACES } from '@/components/shell/places';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';

interface Keys {
  readonly keys: readonly string[];
  readonly does: string;
}

const GROUPS: readonly { readonly name: string; readonly keys: readonly Keys[] }[] = [
  {
    name: 'Everywhere',
    keys: [
      { keys: ['Ctrl', 'K'], does: 'search or jump to' },
      { keys: ['?'], does: 'this list' },
      { keys: ['L'], does: 'live on, off' },
      { keys: ['['], does: 'an earlier range' },
      { keys: [']'], does: 'a later range' },
      { keys: ['T'], does: 'the chart under the pointer or focus as a table, and back' },
      { keys: ['Esc'], does: 'close; then back' },
    ],
  },
  {
    name: 'Lists',
    keys: [
      { keys: ['/'], does: 'the query' },
      { keys: ['J'], does: 'next row or record' },
      { keys: ['K'], does: 'previous row or record' },
      { keys: ['Enter'], does: 'open beside the list, then whole' },
      { keys: ['X'], does: 'select the row' },
    ],
  },
  {
    name: 'A session in the debugger',
    keys: [
      { keys: ['Space'], does: 'play, pause' },
      { keys: [',', '.'], does: 'step back, forward' },
      { keys: ['R', 'F', 'N'], does: 'next refusal, finding, generation; with Shift the previous' },
      { keys: ['B'], does: 'back to the last time the cursor was still safe' },
      { keys: ['W', 'S', 'A', 'D'], does: 'zoom in, out, pan left, right' },
      { keys: ['M', 'P'], does: 'mark; pin' },
    ],
  },
];

/** Every key, by where it works. Keys never fire while typing. */
export function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  const places = { name: 'Go to', keys: PLACES.map(({ key, name }) => ({ keys: ['G', key.toUpperCase()], does: name })) };
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={css['overlay']} />
        <Dialog.Content className={css['panel']} aria-describedby={undefined} data-testid="shortcuts">
          <div className={css['head']}>
            <Dialog.Title>Keys</Dialog.Title>
            <Dialog.Close asChild>
              <Button look="ghost" square aria-label="Close">
                <Icon name="close" size={12} />
              </Button>
            </Dialog.Close>
          </div>
          <div className={css['columns']}>
            {[...GROUPS.slice(0, 2), places, ...GROUPS.slice(2)].map((group) => (
              <section key={group.name}>
                <h3>{group.name}</h3>
                <dl>
                  {group.keys.map(({ keys, does }) => (
                    <div key={does}>
                      <dt>
                        {keys.map((key) => (
                          <kbd key={key}>{key}</kbd>
                        ))}
                      </dt>
                      <dd>{does}</dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
