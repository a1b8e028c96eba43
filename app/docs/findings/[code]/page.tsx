import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { FindingDoc } from '@/components/docs/finding-doc';
import { FINDING_GROUPS, type FindingCode } from '@/lib/audit/finding';

const CODES: readonly FindingCode[] = Object.values(FINDING_GROUPS).flat();

interface PageProps {
  readonly params: Promise<{ readonly code: string }>;
}

/** Every page is made at build time; another code has none. */
export const dynamicParams = false;

export function generateStaticParams(): { readonly code: string }[] {
  return CODES.map((code) => ({ code }));
}

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  return { title: (await params).code };
}

export default async function Page({ params }: PageProps) {
  const { code: asked } = await params;
  const code = CODES.find((one) => one === asked);
  if (code === undefined) notFound();
  return <FindingDoc code={code} text={await readFile(join(process.cwd(), 'docs/findings', `${code}.md`), 'utf8')} />;
}
