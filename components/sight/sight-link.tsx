'use client';

import Link from 'next/link';
import type { ComponentProps } from 'react';
import { useWithSight } from '@/components/sight/use-with-sight';

interface SightLinkProps extends ComponentProps<typeof Link> {
  readonly href: string;
}

/** A link within the product: the page it leads to looks at the same time, project and zone. */
export function SightLink({ href, ...rest }: SightLinkProps) {
  const withSight = useWithSight();
  return <Link href={withSight(href)} {...rest} />;
}
