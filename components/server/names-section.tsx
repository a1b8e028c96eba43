import { Age } from '@/components/format/age';
import { formatCount } from '@/components/format/count';
import { shortText } from '@/components/format/short-text';
import css from '@/components/server/server-page.module.css';
import { cx } from '@/components/ui/cx';
import { SectionHead } from '@/components/ui/section-head';
import type { ServerDetail } from '@/lib/wire/responses';

/** What was seen of ids, protocol revisions and nodes. */
export function NamesSection({ detail: { id_shapes, eras, nodes } }: { readonly detail: ServerDetail }) {
  const right = cx(css['right']);
  return (
    <div className={css['three']}>
      <section aria-label="Event ids">
        <SectionHead title="Event ids" sub="shapes that clients presented" />
        <Lines none="No attempt presented an id.">
          {id_shapes.map(({ shape, example, attempts }) => (
            <tr key={shape}>
              <td>
                <code>{shape === null ? 'no number in it' : shape.replaceAll('\0', 'n')}</code>
              </td>
              <td className={css['quiet']} title={example}>
                <code>{shortText(example, 22)}</code>
              </td>
              <td className={right}>{formatCount(attempts)}</td>
            </tr>
          ))}
        </Lines>
      </section>
      <section aria-label="Protocol revisions">
        <SectionHead title="Protocol revisions" sub="attempts" />
        <Lines none="No attempt in this range.">
          {eras.map((era) => (
            <tr key={era.protocol_version}>
              <td>
                {era.protocol_version ?? 'not told'}
                {era.protocol_version !== null && era.protocol_version >= '2026-07-28' ? ', without resumption' : ''}
              </td>
              <td className={right}>{formatCount(era.attempts)}</td>
            </tr>
          ))}
        </Lines>
      </section>
      <section aria-label="Nodes">
        <SectionHead title="Nodes" sub="records of all time" />
        <Lines none="No record named a node.">
          {nodes.map((node) => (
            <tr key={node.node}>
              <td>
                <code>{node.node}</code>
              </td>
              <td className={right}>{formatCount(node.records)}</td>
              <td className={right}>
                <Age at={node.last_at} />
              </td>
            </tr>
          ))}
        </Lines>
      </section>
    </div>
  );
}

function Lines({ none, children }: { readonly none: string; readonly children: readonly React.ReactNode[] }) {
  if (children.length === 0) return <p className={css['none']}>{none}</p>;
  return (
    <table className={css['table']}>
      <tbody>{children}</tbody>
    </table>
  );
}
