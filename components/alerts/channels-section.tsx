'use client';

import { useState } from 'react';
import { ChangeButton } from '@/components/access/change-button';
import css from '@/components/alerts/alerts.module.css';
import { ChangeFailure } from '@/components/alerts/change-failure';
import { actOnChannel, type ChannelAct, type MadeSecret } from '@/components/alerts/channel-acts';
import { ChannelForm } from '@/components/alerts/channel-form';
import { ChannelRow } from '@/components/alerts/channel-row';
import { SecretNotice } from '@/components/alerts/secret-notice';
import { useAlertingChange, useChannels } from '@/components/alerts/use-alerting';
import { countOf } from '@/components/format/count';
import { Bone } from '@/components/states/bone';
import { Empty } from '@/components/states/empty';
import { QueryFailure } from '@/components/states/query-failure';
import { Scroller } from '@/components/ui/scroller';
import { SectionHead } from '@/components/ui/section-head';

/** Where alerts are told, how each channel fares, and what can be done with it. */
export function ChannelsSection() {
  const channels = useChannels();
  const [made, setMade] = useState<MadeSecret | null>(null);
  const [tested, setTested] = useState<string | null>(null);
  const [isAdding, setAdding] = useState(false);
  const items = channels.data?.items;
  const act = useAlertingChange(actOnChannel);
  const run = (name: string, what: ChannelAct) =>
    act.mutate(
      { name, what },
      {
        onSuccess: (answer) => {
          setTested(what === 'test' ? name : null);
          if (answer.secret !== undefined) setMade({ name, secret: answer.secret });
        },
      },
    );
  return (
    <div className={css['body']}>
      <section aria-label="Channels">
        <QueryFailure what="The list of channels" query={channels} />
        <SectionHead
          title={items === undefined ? 'Channels' : countOf(items.length, 'channel')}
          sub="where alerts are told; addresses and secrets are stored encrypted and never shown"
          acts={!isAdding && <ChangeButton onClick={() => setAdding(true)}>New channel</ChangeButton>}
        />
        {made !== null && made.secret !== null && <SecretNotice made={made} onDone={() => setMade(null)} />}
        {tested !== null && (
          <p className={css['notice']} role="status">
            A test message is on its way through {tested}. Deliveries say what came of it.
          </p>
        )}
        <ChangeFailure what="The channel did not do that:" cause={act.error} />
        {isAdding && (
          <ChannelForm
            taken={(items ?? []).map(({ name }) => name)}
            onDone={(secret) => {
              setAdding(false);
              setMade(secret);
            }}
          />
        )}
        {items === undefined && channels.isPending && <Bone height={120} />}
        {items?.length === 0 && !isAdding && (
          <Empty
            title="Nobody is told"
            acts={
              <ChangeButton look="primary" onClick={() => setAdding(true)}>
                New channel
              </ChangeButton>
            }
          >
            Alerts fire and are shown here, and no channel carries them to anybody. Add a webhook, PagerDuty, Slack, Alertmanager or e-mail.
          </Empty>
        )}
        {items !== undefined && items.length > 0 && (
          <Scroller label="Channels" className={css['scroll']}>
            <table className={css['table']}>
              <thead>
                <tr>
                  <th scope="col">Channel</th>
                  <th scope="col" className={css['wide']}>
                    Target
                  </th>
                  <th scope="col">How it fares</th>
                  <th scope="col" className={css['wide']}>
                    Origin
                  </th>
                  <th scope="col" className={css['right']}>
                    <span className={css['wide']}>Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {items.map((channel) => (
                  <ChannelRow key={channel.name} channel={channel} isBusy={act.isPending} onAct={(what) => run(channel.name, what)} />
                ))}
              </tbody>
            </table>
          </Scroller>
        )}
      </section>
    </div>
  );
}
