import type { Metadata } from 'next';
import { ProxyRoutesPage } from '@/components/proxy/proxy-routes-page';

export const metadata: Metadata = { title: 'Proxy' };

export default function Page() {
  return <ProxyRoutesPage />;
}
