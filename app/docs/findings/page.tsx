import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metadata } from 'next';
import { FindingDocs } from '@/components/docs/finding-doc';

export const metadata: Metadata = { title: 'Findings explained' };

/** Made at build time. */
export const dynamic = 'force-static';

export default async function Page() {
  return <FindingDocs text={await readFile(join(process.cwd(), 'docs/findings/README.md'), 'utf8')} />;
}
