import type { Metadata } from 'next';
import { SessionPage } from '@/components/session/session-page';

export const metadata: Metadata = { title: 'Session' };

export default async function Page({ params }: { readonly params: Promise<{ readonly ref: string }> }) {
  const { ref } = await params;
  return <SessionPage reference={ref} />;
}
