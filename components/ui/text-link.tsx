import Link from 'next/link';
import type { ComponentProps } from 'react';
import css from '@/components/ui/section.module.css';

/** A link that stands alone, in the accent. */
export function TextLink(props: ComponentProps<typeof Link>) {
  return <Link className={css['link']} {...props} />;
}
