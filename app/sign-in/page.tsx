import type { Metadata } from 'next';
import { SignInPage } from '@/components/access/sign-in-page';

export const metadata: Metadata = { title: 'Sign in', robots: { index: false }, referrer: 'no-referrer' };

export default function Page() {
  return <SignInPage />;
}
