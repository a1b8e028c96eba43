import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import css from '@/components/docs/markdown.module.css';
import { Scroller } from '@/components/ui/scroller';
import { TextLink } from '@/components/ui/text-link';

const PARTS: Components = {
  a: ({ href = '', children }) => <TextLink href={pageOf(href)}>{children}</TextLink>,
  pre: ({ children }) => (
    <Scroller label="Example" className={css['example']}>
      <pre>{children}</pre>
    </Scroller>
  ),
  table: ({ children }) => (
    <Scroller label="Table" className={css['scroll']}>
      <table>{children}</table>
    </Scroller>
  ),
  // The page's own bar names it.
  h1: () => null,
};

/** A page of the documentation, written in Markdown. Raw HTML in it is shown as text. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <div className={css['text']}>
      <ReactMarkdown remarkPlugins={[remarkGfm]} components={PARTS}>
        {text}
      </ReactMarkdown>
    </div>
  );
}

/** Pages of findings link one another as files do: `gap.md`. */
function pageOf(href: string): string {
  const [, code] = /^([a-z_]+)\.md$/.exec(href) ?? [];
  return code === undefined ? href : `/docs/findings/${code}`;
}
