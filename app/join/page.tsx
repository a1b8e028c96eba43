import type { Metadata } from 'next';
import { JoinPage } from '@/components/access/join-page';

export const metadata: Metadata = { title: 'Join', robots: { index: false }, referrer: 'no-referrer' };

export default function Page() {
  return <JoinPage />;
}
