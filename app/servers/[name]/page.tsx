import type { Metadata } from 'next';
import { ServerPage } from '@/components/server/server-page';

interface PageProps {
  readonly params: Promise<{ readonly name: string }>;
}

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  return { title: decodeURIComponent((await params).name) };
}

export default async function Page({ params }: PageProps) {
  return <ServerPage name={decodeURIComponent((await params).name)} />;
}
