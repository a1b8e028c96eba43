import { formatCount } from '@/components/format/count';
import css from '@/components/incidents/replay-incident.module.css';
import { actualMark, actualWords, recordedWords, rulesWords } from '@/components/incidents/replay-words';
import { VerdictMark } from '@/components/verdict-mark/verdict-mark';
import type { ReplayedResume } from '@/lib/incidents/replay-schema';

const SHOWN_MAX = 200;

/** Each recorded resume beside what the target did now; what the rules refuse and the target resumed is marked. */
export function ReplayedResumes({ items }: { readonly items: readonly ReplayedResume[] }) {
  return (
    <>
      <table className={css['table']} aria-label="Resumes as recorded and now">
        <thead>
          <tr>
            <th>Record</th>
            <th>Cursor</th>
            <th>Recorded</th>
            <th>Rules</th>
            <th>Now</th>
          </tr>
        </thead>
        <tbody>
          {items.slice(0, SHOWN_MAX).map((item) => (
            <tr key={item.index}>
              <td>{formatCount(item.index + 1)}</td>
              <td title={item.is_recorded_cursor ? item.sent : `${item.sent}, the target's own id of the same event`}>
                <code>{item.sent}</code>
              </td>
              <td>{recordedWords(item)}</td>
              <td>{rulesWords(item)}</td>
              <td>
                <span className={css['now']}>
                  <VerdictMark mark={actualMark(item)} size={10} /> {actualWords(item)}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {items.length > SHOWN_MAX && <p className={css['words']}>and {formatCount(items.length - SHOWN_MAX)} more, all in the count above</p>}
    </>
  );
}
