'use client';

import { Toast } from 'radix-ui';
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import css from '@/components/toast/toasts.module.css';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';

/** What a toast says; one under the same key is replaced. */
export interface ToastWords {
  readonly key: string;
  readonly words: string;
  readonly tone?: 'plain' | 'failure';
  readonly act?: { readonly label: string; readonly run: () => void };
  /** Stays until it is replaced or closed: something is still going on. */
  readonly isLasting?: boolean;
}

/** Beyond this many, the oldest goes. */
const TOASTS_MAX = 4;
const SHOWN_MS = 6_000;

const ToastContext = createContext<(toast: ToastWords) => void>(() => {});

/** Says something that happened, for a few seconds, to eyes and screen readers. */
export function useToast(): (toast: ToastWords) => void {
  return useContext(ToastContext);
}

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly ToastWords[]>([]);
  const show = useCallback(
    (toast: ToastWords) => setToasts((shown) => [...shown.filter(({ key }) => key !== toast.key), toast].slice(-TOASTS_MAX)),
    [],
  );
  const close = useCallback((closed: string) => setToasts((shown) => shown.filter(({ key }) => key !== closed)), []);
  const list = useMemo(() => toasts.map((toast) => <ToastView key={toast.key} toast={toast} onClose={close} />), [toasts, close]);
  return (
    <ToastContext value={show}>
      <Toast.Provider label="Message" duration={SHOWN_MS} swipeDirection="right">
        {children}
        {list}
        <Toast.Viewport className={css['viewport']} label="Messages, {hotkey}" />
      </Toast.Provider>
    </ToastContext>
  );
}

function ToastView({ toast, onClose }: { readonly toast: ToastWords; readonly onClose: (key: string) => void }) {
  const { key, words, tone = 'plain', act, isLasting = false } = toast;
  return (
    <Toast.Root
      className={css['toast']}
      data-tone={tone}
      duration={isLasting ? Number.POSITIVE_INFINITY : SHOWN_MS}
      onOpenChange={(isOpen) => !isOpen && onClose(key)}
    >
      <Toast.Description className={css['words']}>{words}</Toast.Description>
      {act !== undefined && (
        <Toast.Action asChild altText={act.label}>
          <Button onClick={act.run}>{act.label}</Button>
        </Toast.Action>
      )}
      <Toast.Close asChild>
        <Button look="ghost" square aria-label="Close the message">
          <Icon name="close" size={12} />
        </Button>
      </Toast.Close>
    </Toast.Root>
  );
}
