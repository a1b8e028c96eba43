import type { Metadata } from 'next';
import { AttemptsPage } from '@/components/attempts/attempts-page';

export const metadata: Metadata = { title: 'Attempts' };

export default function Page() {
  return <AttemptsPage />;
}
