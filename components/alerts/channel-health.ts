import { countOf } from '@/components/format/count';
import { durationWords, timeOfDay } from '@/components/format/instant';
import { zoneName } from '@/components/format/zone';
import type { ChannelItem } from '@/lib/alerting/answer-schema';

/** How a channel fares, in words. */
export function channelHealth(channel: ChannelItem, nowMs: number): { readonly isWell: boolean; readonly words: string } {
  const rest = [
    ...(channel.waiting > 0 ? [`${countOf(channel.waiting, 'message')} waiting`] : []),
    ...(channel.dead > 0 ? [`${countOf(channel.dead, 'message')} given up`] : []),
    ...(channel.rotating_until !== null && Date.parse(channel.rotating_until) > nowMs
      ? [`both secrets sign until ${timeOfDay(Date.parse(channel.rotating_until), 'min')} ${zoneName()}`]
      : []),
  ];
  const words = [stateOf(channel, nowMs), ...rest].join('; ');
  return { isWell: channel.disabled_reason === null && channel.failures === 0 && channel.dead === 0, words };
}

function stateOf({ disabled_reason, failures, paused_until }: ChannelItem, nowMs: number): string {
  if (disabled_reason !== null) return `Disabled: it ${disabled_reason}`;
  if (failures === 0) return 'Well';
  const left = paused_until === null ? 0 : Date.parse(paused_until) - nowMs;
  return `${countOf(failures, 'failure')} in a row, ${left > 0 ? `tried again in ${durationWords(left)}` : 'being tried again'}`;
}
