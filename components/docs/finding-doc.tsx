import { Markdown } from '@/components/docs/markdown';
import { TopBar } from '@/components/shell/top-bar';
import { TextLink } from '@/components/ui/text-link';
import type { FindingCode } from '@/lib/audit/finding';

interface FindingDocProps {
  readonly code: FindingCode;
  /** The page as it is written in `docs/findings`. */
  readonly text: string;
}

/** What a finding means, how to confirm it and how to fix it. */
export function FindingDoc({ code, text }: FindingDocProps) {
  return (
    <>
      <TopBar title={<code>{code}</code>} parent={{ href: '/docs/findings', name: 'Findings explained' }}>
        <TextLink href={`/findings?code=${code}`}>Findings of this kind</TextLink>
      </TopBar>
      <main id="content">
        <Markdown text={text} />
      </main>
    </>
  );
}

/** Every code that a finding can have, each with its page. */
export function FindingDocs({ text }: { readonly text: string }) {
  return (
    <>
      <TopBar title="Findings explained" parent={{ href: '/findings', name: 'Findings' }} />
      <main id="content">
        <Markdown text={text} />
      </main>
    </>
  );
}
