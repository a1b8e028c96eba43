'use client';

import type { ComponentProps, MouseEvent } from 'react';
import { useDenial } from '@/components/access/use-denial';
import { useToast } from '@/components/toast/toasts';
import { Button } from '@/components/ui/button';

type ChangeButtonProps = ComponentProps<typeof Button> & { readonly scope?: Parameters<typeof useDenial>[0] };

/**
 * A button that changes something. Whoever may not press it sees it all the same, is told why by its tooltip and when it
 * is pressed, and nothing else happens.
 */
export function ChangeButton({ scope, disabled, onClick, title, ...rest }: ChangeButtonProps) {
  const denial = useDenial(scope);
  const show = useToast();
  if (denial === null || denial === '')
    return <Button disabled={disabled === true || denial === ''} onClick={onClick} title={title} {...rest} />;
  // Not `disabled`: what cannot be reached by key cannot say why. A form is not sent by it either.
  const deny = (event: MouseEvent) => {
    event.preventDefault();
    show({ key: 'denied', words: denial });
  };
  return <Button {...rest} aria-disabled title={denial} onClick={deny} />;
}
