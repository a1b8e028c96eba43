import type { Metadata } from 'next';
import { SharedIncidentPage } from '@/components/shared/shared-incident-page';

export const metadata: Metadata = { title: 'Shared incident', robots: { index: false, follow: false }, referrer: 'no-referrer' };

export default async function Page({ params }: { readonly params: Promise<{ readonly token: string }> }) {
  const { token } = await params;
  return <SharedIncidentPage token={token} />;
}
