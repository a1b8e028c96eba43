import css from '@/components/findings/cited-records.module.css';
import { timeOfDay } from '@/components/format/instant';
import { recordWords } from '@/components/session/record-words';
import { cx } from '@/components/ui/cx';
import { TextLink } from '@/components/ui/text-link';
import type { FindingDetail } from '@/lib/audit/answer-schema';
import type { TelemetryRecord } from '@/lib/wire/schema';

/** The records that a finding cites, in order, the first illegal one marked; each opens to what was stored. */
export function CitedRecords({ detail: { records, proof, finding } }: { readonly detail: FindingDetail }) {
  const gone = finding.records.length - records.length;
  return (
    <>
      <ol className={css['records']}>
        {records.map((cited) => (
          <Cited key={cited.index} cited={cited} isFirstIllegal={cited.index === proof.first_illegal} />
        ))}
      </ol>
      {gone > 0 && <p className={css['gone']}>{gone} of the cited records are no longer retained.</p>}
    </>
  );
}

function Cited({ cited, isFirstIllegal }: { readonly cited: FindingDetail['records'][number]; readonly isFirstIllegal: boolean }) {
  // The API answers only what the intake validated.
  const record = cited.record as TelemetryRecord;
  const words = recordWords(record);
  return (
    <li className={cx(css['record'], isFirstIllegal && css['illegal'])}>
      <details>
        <summary>
          <time dateTime={cited.at}>{timeOfDay(Date.parse(cited.at))}</time>
          <code>{words.type}</code>
          <span>{[words.subject, words.detail].filter((part) => part !== '').join(', ')}</span>
          {isFirstIllegal && <b>first illegal</b>}
        </summary>
        <pre>{JSON.stringify(cited.record, null, 2)}</pre>
        {record.type === 'resume_attempt' && <TextLink href={`/attempts/${cited.id}`}>This attempt and its proof</TextLink>}
      </details>
    </li>
  );
}
