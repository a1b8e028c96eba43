import type { Metadata } from 'next';
import { FindingPage } from '@/components/findings/finding-page';

export const metadata: Metadata = { title: 'Finding' };

export default async function Page({ params }: { readonly params: Promise<{ readonly id: string }> }) {
  const { id } = await params;
  return <FindingPage id={id} />;
}
