'use client';

import { useMemo } from 'react';
import { ApiFailure } from '@/components/api/api-failure';
import { typedFindings } from '@/components/api/typed-findings';
import { useSession, useSessionFindings, useSessionRecords } from '@/components/api/use-session';
import { Debugger } from '@/components/debugger/debugger';
import { readHistory } from '@/components/debugger/model/history';
import { formatCount } from '@/components/format/count';
import { shortText } from '@/components/format/short-text';
import { SessionHead } from '@/components/session/session-head';
import { TopBar } from '@/components/shell/top-bar';
import { CopyLink } from '@/components/sight/copy-link';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { TextLink } from '@/components/ui/text-link';

/** The timeline debugger of one session. */
export function SessionDebuggerPage({ reference }: { readonly reference: string }) {
  const session = useSession(reference);
  const records = useSessionRecords(reference);
  const findings = useSessionFindings(reference);
  const history = useMemo(() => (records.data === undefined ? null : readHistory(records.data)), [records.data]);
  const isUnknown = session.error instanceof ApiFailure && session.error.status === 404;
  const name = session.data?.label ?? shortText(reference, 13);
  return (
    <>
      <TopBar title={<code>{name}</code>} parent={{ href: `/sessions/${reference}`, name: 'Session' }} isDense>
        <CopyLink />
      </TopBar>
      <main id="content">
        {isUnknown && (
          <Empty title="No session has this reference" acts={<TextLink href="/sessions">All sessions</TextLink>}>
            No record of it was stored here, or retention has taken them.
          </Empty>
        )}
        {!isUnknown && <QueryFailure what="The records" query={records} />}
        {!isUnknown && <QueryFailure what="The findings" query={findings} />}
        {session.data !== undefined && <SessionHead session={session.data} />}
        {findings.data?.is_whole === false && (
          <p>
            This session has more records than are read of one: only the first {formatCount(findings.data.records)} are shown and judged.
          </p>
        )}
        {history !== null && (findings.data !== undefined || findings.isError) && (
          <Debugger history={history} findings={typedFindings(findings.data?.items ?? [])} />
        )}
        {(records.isPending || findings.isPending) && !isUnknown && <Bone height={520} />}
      </main>
    </>
  );
}
