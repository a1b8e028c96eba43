import type { Metadata } from 'next';
import { SessionDebuggerPage } from '@/components/debugger/session-debugger-page';

export const metadata: Metadata = { title: 'Debugger' };

export default async function Page({ params }: { readonly params: Promise<{ readonly ref: string }> }) {
  const { ref } = await params;
  return <SessionDebuggerPage reference={ref} />;
}
