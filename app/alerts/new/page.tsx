import type { Metadata } from 'next';
import { RulePage } from '@/components/alerts/rule-page';

export const metadata: Metadata = { title: 'New alert rule' };

export default function Page() {
  return <RulePage name={null} />;
}
