import { countOf, formatCount } from '@/components/format/count';
import { MarkMix } from '@/components/overview/mark-mix';
import { sequelWords } from '@/components/server/sequel-words';
import css from '@/components/server/server-page.module.css';
import { cx } from '@/components/ui/cx';
import { Scroller } from '@/components/ui/scroller';
import { SectionHead } from '@/components/ui/section-head';
import type { ServerDetail } from '@/lib/wire/responses';

/** Clients by name and version, with what each does after a refusal. */
export function ClientsSection({ detail: { clients } }: { readonly detail: ServerDetail }) {
  const right = cx(css['right']);
  const rightRoomy = cx(css['right'], css['roomy']);
  return (
    <section aria-label="Clients">
      <SectionHead title="Clients" sub={`${countOf(clients.length, 'name')}, with what each does after a refusal`} />
      {clients.length === 0 && <p className={css['none']}>No attempt in this range.</p>}
      {clients.length > 0 && (
        <Scroller label="Clients" className={css['scroll']}>
          <table className={css['table']}>
            <thead>
              <tr>
                <th scope="col">Client</th>
                <th scope="col" className={css['roomy']}>
                  Verdicts
                </th>
                <th scope="col" className={right}>
                  Attempts
                </th>
                <th scope="col" className={rightRoomy}>
                  Sessions
                </th>
                <th scope="col">After a refusal</th>
              </tr>
            </thead>
            <tbody>
              {clients.map((client) => (
                <tr key={client.client}>
                  <td>{client.client ?? <span className={css['quiet']}>not named</span>}</td>
                  <td className={css['roomy']}>
                    <MarkMix marks={client.marks} />
                  </td>
                  <td className={right}>{formatCount(client.attempts)}</td>
                  <td className={rightRoomy}>{formatCount(client.sessions)}</td>
                  <td className={css['wrap']}>{sequelWords(client.after_refusal)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
    </section>
  );
}
