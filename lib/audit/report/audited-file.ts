import type { AuditAnswer } from '@/lib/audit/finding';

/** One audited input with the line on which each of its records begins, from 1. */
export interface AuditedFile {
  readonly name: string;
  readonly records: number;
  readonly answer: AuditAnswer;
  readonly lineOf: (index: number) => number;
}
