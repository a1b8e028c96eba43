import type { AttemptItem } from '@/lib/wire/responses';
import type { ResumeAttemptRecord } from '@/lib/wire/schema';

/** An attempt as the API gives it: the members of its record, and its judgement. */
export type Attempt = AttemptItem & Omit<ResumeAttemptRecord, keyof AttemptItem>;

export interface AttemptList {
  readonly items: readonly Attempt[];
  readonly next: string | null;
}
