'use client';

import { useViewLink } from '@/components/sight/use-view-link';
import type { ButtonLook } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy-button';

/** Copies the link to exactly what the page shows: its words go where the screen is narrow. */
export function CopyLink({ look = 'plain', square = false }: ButtonLook) {
  return <CopyButton icon="link" isShrinking label="Copy link" look={look} square={square} text={useViewLink()} />;
}
