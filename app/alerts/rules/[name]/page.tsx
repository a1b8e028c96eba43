import type { Metadata } from 'next';
import { RulePage } from '@/components/alerts/rule-page';

export const metadata: Metadata = { title: 'Alert rule' };

export default async function Page({ params }: { readonly params: Promise<{ readonly name: string }> }) {
  return <RulePage name={decodeURIComponent((await params).name)} />;
}
