import { durationWords } from '@/components/format/instant';
import type { DeliveryItem } from '@/lib/alerting/answer-schema';

export const KIND_WORDS: Readonly<Record<DeliveryItem['kind'], string>> = {
  open: 'opened',
  update: 'more joined',
  repeat: 'told again',
  escalate: 'escalated',
  resolve: 'resolved',
  missed: 'came and went',
  test: 'test',
};

export const DELIVERY_WORDS: Readonly<Record<DeliveryItem['state'], string>> = {
  pending: 'waiting',
  delivered: 'delivered',
  dead: 'given up',
  superseded: 'replaced by a newer one',
};

const DEAD_WORDS: Readonly<Record<string, string>> = {
  attempts_exhausted: 'every attempt failed',
  too_old: 'it grew too old',
  endpoint_gone: 'the receiver answered 410 Gone',
  endpoint_unknown: 'the channel was removed',
  queue_full: 'too many messages waited',
};

/** The state of a message, with why or when. */
export function whenWords({ state, next_at, dead_reason }: DeliveryItem, nowMs: number): string {
  const word = DELIVERY_WORDS[state];
  if (state === 'dead') return dead_reason === null ? word : `${word}: ${DEAD_WORDS[dead_reason] ?? dead_reason}`;
  if (state !== 'pending' || next_at === null) return word;
  const left = Date.parse(next_at) - nowMs;
  return left <= 0 ? `${word}, due now` : `${word}, next attempt in ${durationWords(left)}`;
}

/** What came back from the newest attempt. */
export function answerWords({ attempts, status, error }: Pick<DeliveryItem, 'attempts' | 'status' | 'error'>): string {
  if (attempts === 0) return 'not sent yet';
  return error ?? (status === null ? 'no answer' : String(status));
}
