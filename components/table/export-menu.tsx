'use client';

import { DropdownMenu } from 'radix-ui';
import { useRef } from 'react';
import { countOf, formatCount } from '@/components/format/count';
import { failureWords } from '@/components/states/failure-words';
import { EXPORT_ROWS_MAX, type ExportFormat, type ExportSource, exportList } from '@/components/table/export-list';
import { useToast } from '@/components/toast/toasts';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';
import menu from '@/components/ui/menu.module.css';

interface ExportMenuProps<T> {
  /** What one row is: `attempt`. Also the file's name. */
  readonly noun: string;
  readonly source: () => ExportSource<T>;
}

/** Takes the filtered list away as a file; a toast tells how far it is, and what it became. */
export function ExportMenu<T>({ noun, source }: ExportMenuProps<T>) {
  const toast = useToast();
  const running = useRef<AbortController | null>(null);
  const save = async (format: ExportFormat) => {
    running.current?.abort();
    const control = new AbortController();
    running.current = control;
    const key = `export-${noun}`;
    const cancel = { label: 'Cancel', run: () => control.abort() };
    const tell = (rows: number) => toast({ key, words: `Reading the list: ${countOf(rows, noun)} so far.`, act: cancel, isLasting: true });
    try {
      const file = await exportList(source(), format, control.signal, tell);
      download(file.blob, `${noun}s-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.${format}`);
      const cut = file.isCut ? ` The list is longer: a file holds ${formatCount(EXPORT_ROWS_MAX)}. Narrow the range for the rest.` : '';
      toast({
        key,
        words: `${countOf(file.rows, noun)} exported as ${format.toUpperCase()}, ${sizeWords(file.blob.size)}.${cut}`,
        isLasting: file.isCut,
      });
    } catch (cause) {
      if (control.signal.aborted) toast({ key, words: 'The export was cancelled. Nothing was saved.' });
      else {
        const { happened, nextStep } = failureWords('The list', cause, 0, 0);
        toast({ key, words: `${happened} Nothing was saved. ${nextStep}`, tone: 'failure', isLasting: true });
      }
    }
  };
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <Button aria-label="Export" title="Export">
          <Icon name="export" size={12} />
          <span className={menu['wide']}>Export</span>
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={menu['panel']} align="end" sideOffset={6}>
          <DropdownMenu.Item className={menu['item']} onSelect={() => void save('csv')}>
            CSV, for a spreadsheet
          </DropdownMenu.Item>
          <DropdownMenu.Item className={menu['item']} onSelect={() => void save('json')}>
            JSON, as the API answers it
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser takes the blob at the click; it must outlive this task, not more.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function sizeWords(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  return bytes < 1_048_576 ? `${Math.round(bytes / 1_024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
