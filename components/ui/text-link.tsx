import type { ComponentProps } from 'react';
import { SightLink } from '@/components/sight/sight-link';
import css from '@/components/ui/section.module.css';

/** A link that stands alone, in the accent. */
export function TextLink(props: ComponentProps<typeof SightLink>) {
  return <SightLink className={css['link']} {...props} />;
}
