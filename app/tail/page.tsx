import type { Metadata } from 'next';
import { TailPage } from '@/components/tail/tail-page';

export const metadata: Metadata = { title: 'Live tail' };

export default function Page() {
  return <TailPage />;
}
