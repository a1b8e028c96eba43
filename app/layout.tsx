import '@fontsource-variable/geist/wght.css';
import '@fontsource-variable/geist-mono/wght.css';
import './tokens.css';
import './globals.css';
import type { Metadata, Viewport } from 'next';
import { type ReactNode, Suspense } from 'react';
import { Providers } from '@/components/shell/providers';
import { ShellOfPage } from '@/components/shell/shell-of-page';

export const metadata: Metadata = {
  title: { default: 'Tidemark', template: '%s · Tidemark' },
  description: 'Judges every MCP stream resumption and names what was lost.',
};

export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  themeColor: [
    { media: '(prefers-color-scheme: dark)', color: '#0d1113' },
    { media: '(prefers-color-scheme: light)', color: '#f3f5f5' },
  ],
};

export default function RootLayout({ children }: { readonly children: ReactNode }) {
  return (
    <html lang="en" className="dark" suppressHydrationWarning>
      <head>
        <script src="/theme.js" />
      </head>
      <body>
        <Suspense>
          <Providers>
            <ShellOfPage>{children}</ShellOfPage>
          </Providers>
        </Suspense>
      </body>
    </html>
  );
}
