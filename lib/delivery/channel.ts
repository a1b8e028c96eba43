import type { ChannelType } from '@/lib/alerting/render';

/** A channel with what it takes to reach it. Holds secrets: never log it, never answer it. */
export interface Channel {
  readonly name: string;
  readonly type: ChannelType;
  readonly url: string;
  /** Signing secret of a webhook, routing key of PagerDuty; null where the channel needs none. */
  readonly secret: string | null;
  /** The secret that is being replaced; messages carry a signature of each until `untilMs`. */
  readonly previous: { readonly secret: string; readonly untilMs: number } | null;
}
