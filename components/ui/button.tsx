import type { ComponentProps } from 'react';
import css from '@/components/ui/button.module.css';
import { cx } from '@/components/ui/cx';

export interface ButtonLook {
  readonly look?: 'plain' | 'primary' | 'ghost';
  readonly square?: boolean;
}

/** Classes of a control, for what is not a button element (a link that acts like one). */
export function buttonClass({ look = 'plain', square = false }: ButtonLook): string {
  return cx(css['button'], look === 'primary' && css['primary'], look === 'ghost' && css['ghost'], square && css['square']);
}

/** The one button of the product. `square` holds an icon and needs an `aria-label`. */
export function Button({ look = 'plain', square = false, className, ...rest }: ButtonLook & ComponentProps<'button'>) {
  return <button type="button" className={cx(buttonClass({ look, square }), className)} {...rest} />;
}
