'use client';

import { useState } from 'react';
import { ChangeButton } from '@/components/access/change-button';
import css from '@/components/alerts/alerts.module.css';
import type { ChannelAct } from '@/components/alerts/channel-acts';
import { channelHealth } from '@/components/alerts/channel-health';
import { useNow } from '@/components/format/use-now';
import { SightLink } from '@/components/sight/sight-link';
import { Button, buttonClass } from '@/components/ui/button';
import { cx } from '@/components/ui/cx';
import type { ChannelItem } from '@/lib/alerting/answer-schema';

interface ChannelRowProps {
  readonly channel: ChannelItem;
  readonly isBusy: boolean;
  readonly onAct: (what: ChannelAct) => void;
}

/** One channel, how it fares, and its actions; removing asks once more. */
export function ChannelRow({ channel, isBusy, onAct }: ChannelRowProps) {
  const now = useNow();
  const [isSure, setSure] = useState(false);
  const health = channelHealth(channel, now);
  const isStuck = channel.disabled_reason !== null || channel.paused_until !== null;
  const button = (what: ChannelAct, text: string, onClick = () => onAct(what)) => (
    <ChangeButton disabled={isBusy} onClick={onClick} aria-label={`${text} ${channel.name}`}>
      {text}
    </ChangeButton>
  );
  return (
    <tr>
      <td>
        <b>{channel.name}</b>
        <br />
        <span className={css['faint']}>{channel.type}</span>
      </td>
      <td className={cx(css['wide'], css['soft'])}>
        <code>{channel.target}</code>
      </td>
      <td className={cx(health.isWell ? css['soft'] : css['hot'])}>{health.words}</td>
      <td className={cx(css['wide'], css['faint'], css['nowrap'])}>{channel.is_read_only ? 'file, read-only' : 'made here'}</td>
      <td className={css['right']}>
        <span className={css['rowActs']}>
          {button('test', 'Test')}
          {isStuck && button('enable', 'Try again')}
          <SightLink
            className={buttonClass({})}
            href={`/alerts?tab=deliveries&channel=${encodeURIComponent(channel.name)}`}
            aria-label={`Log of ${channel.name}`}
          >
            Log
          </SightLink>
          {!channel.is_read_only && channel.type === 'webhook' && button('rotate', 'New secret')}
          {!channel.is_read_only &&
            (isSure ? (
              <>
                {button('remove', 'Remove for good')}
                <Button look="ghost" onClick={() => setSure(false)}>
                  Keep
                </Button>
              </>
            ) : (
              button('remove', 'Remove', () => setSure(true))
            ))}
        </span>
      </td>
    </tr>
  );
}
