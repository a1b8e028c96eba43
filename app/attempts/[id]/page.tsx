import type { Metadata } from 'next';
import { AttemptPage } from '@/components/attempts/attempt-page';

export const metadata: Metadata = { title: 'Attempt' };

export default async function Page({ params }: { readonly params: Promise<{ readonly id: string }> }) {
  const { id } = await params;
  return <AttemptPage id={id} />;
}
