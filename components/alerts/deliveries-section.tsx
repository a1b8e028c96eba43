'use client';

import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { Fragment, useId, useState } from 'react';
import css from '@/components/alerts/alerts.module.css';
import { DeliveryDetailView } from '@/components/alerts/delivery-detail';
import { answerWords, DELIVERY_WORDS, KIND_WORDS, whenWords } from '@/components/alerts/delivery-words';
import { useChannels, useDeliveries } from '@/components/alerts/use-alerting';
import { Age } from '@/components/format/age';
import { useNow } from '@/components/format/use-now';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { Button } from '@/components/ui/button';
import { cx } from '@/components/ui/cx';
import { SelectField } from '@/components/ui/field';
import { Scroller } from '@/components/ui/scroller';
import { SectionHead } from '@/components/ui/section-head';
import { DELIVERY_STATES, type DeliveryItem } from '@/lib/alerting/answer-schema';

const PAGE = 50;
const MOST = 500;
const STATES = ['all', ...DELIVERY_STATES] as const;
const STATE_OPTIONS = STATES.map((value) => ({ value, text: value === 'all' ? 'all states' : DELIVERY_WORDS[value] }));

/** The log of messages: what was sent, what waits, what was given up, with what each receiver answered. */
export function DeliveriesSection() {
  const id = useId();
  const [state, setState] = useQueryState('state', parseAsStringLiteral(STATES).withDefault('all'));
  const [channel, setChannel] = useQueryState('channel');
  const [limit, setLimit] = useState(PAGE);
  const channels = useChannels();
  const deliveries = useDeliveries({ state: state === 'all' ? null : state, channel, limit });
  const items = deliveries.data?.items;
  const names = [...new Set([...(channels.data?.items ?? []).map(({ name }) => name), ...(channel === null ? [] : [channel])])];
  const isFiltered = state !== 'all' || channel !== null;
  return (
    <div className={css['body']}>
      <section aria-label="Deliveries">
        <QueryFailure what="The log of deliveries" query={deliveries} />
        <SectionHead title="Deliveries" sub="newest first, kept for 30 days; one that was given up can be sent again" />
        <div className={css['filters']}>
          <SelectField id={`${id}state`} label="State" value={state} options={STATE_OPTIONS} onValue={(next) => void setState(next)} />
          <SelectField
            id={`${id}channel`}
            label="Channel"
            value={channel ?? ''}
            options={[{ value: '', text: 'all channels' }, ...names.map((name) => ({ value: name, text: name }))]}
            onValue={(next) => void setChannel(next === '' ? null : next)}
          />
        </div>
        {items === undefined && deliveries.isPending && <Bone height={240} />}
        {items?.length === 0 && (
          <Empty title={isFiltered ? 'No message matches' : 'No message yet'}>
            {isFiltered
              ? 'Choose other states or channels to see what there is.'
              : 'Nothing was told in the last 30 days. A test from the list of channels is a message too.'}
          </Empty>
        )}
        {items !== undefined && items.length > 0 && <DeliveryTable items={items} />}
        {deliveries.data !== undefined && deliveries.data.next !== null && limit < MOST && (
          <Button onClick={() => setLimit(Math.min(MOST, limit * 3))} disabled={deliveries.isFetching}>
            Older
          </Button>
        )}
      </section>
    </div>
  );
}

function DeliveryTable({ items }: { readonly items: readonly DeliveryItem[] }) {
  const [opened, setOpened] = useQueryState('delivery');
  return (
    <Scroller label="Deliveries" className={css['scroll']}>
      <table className={css['table']}>
        <thead>
          <tr>
            <th scope="col">Message</th>
            <th scope="col">State</th>
            <th scope="col" className={css['wide']}>
              Channel
            </th>
            <th scope="col" className={css['wide']}>
              Newest answer
            </th>
            <th scope="col" className={cx(css['right'], css['wide'])}>
              Latency
            </th>
            <th scope="col" className={cx(css['right'], css['wide'])}>
              Attempts
            </th>
            <th scope="col" className={css['right']}>
              Made
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <Fragment key={item.id}>
              <DeliveryRow item={item} isOpen={item.id === opened} onOpen={(isOpen) => void setOpened(isOpen ? item.id : null)} />
              {item.id === opened && (
                <tr>
                  <td colSpan={7}>
                    <DeliveryDetailView id={item.id} />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

interface DeliveryRowProps {
  readonly item: DeliveryItem;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

function DeliveryRow({ item, isOpen, onOpen }: DeliveryRowProps) {
  const now = useNow();
  return (
    <tr data-delivery={item.id}>
      <td>
        <button type="button" className={css['rowButton']} aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
          {KIND_WORDS[item.kind]}
        </button>{' '}
        <span className={css['soft']}>{item.rule}</span>
      </td>
      <td className={cx(item.state === 'dead' && css['hot'])}>{whenWords(item, now)}</td>
      <td className={css['wide']}>{item.channel}</td>
      <td className={cx(css['wide'], css['soft'])}>{answerWords(item)}</td>
      <td className={cx(css['right'], css['wide'])}>{item.latency_ms === null ? '' : `${item.latency_ms} ms`}</td>
      <td className={cx(css['right'], css['wide'])}>{item.attempts}</td>
      <td className={cx(css['right'], css['faint'])}>
        <Age at={item.created_at} />
      </td>
    </tr>
  );
}
