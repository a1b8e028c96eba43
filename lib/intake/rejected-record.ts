import { Compile } from 'typebox/compile';
import { AT_FUTURE_MAX_MS, AT_PAST_MAX_MS, DEFAULT_SERVER, type Receipt } from '@/lib/intake/prepare-record';
import type { RejectedRecord } from '@/lib/store/record-to-store';
import { RECORD_TYPES } from '@/lib/wire/decode-record';
import { RECORD_SCHEMAS } from '@/lib/wire/schema';

const { id, at, server } = RECORD_SCHEMAS.boot.properties;
const isId = Compile(id);
const isInstant = Compile(at);
const isName = Compile(server);
const isType = (type: unknown): boolean => RECORD_TYPES.some((known) => known === type);

/** What can be read of a value that is no record: so much of it is known to be missing. */
export function rejectedRecord(value: unknown, receipt: Receipt): RejectedRecord {
  if (value === null || typeof value !== 'object') return UNREADABLE;
  const members = value as Readonly<Record<string, unknown>>;
  return {
    server: serverOf(members),
    id: isId.Check(members['id']) ? members['id'].toLowerCase() : null,
    at: atOf(members['at'], receipt.at),
  };
}

const UNREADABLE: RejectedRecord = { server: null, id: null, at: null };

/** A record without a server is of the default one; something that is not even of a known type need not be. */
function serverOf({ type, server: name }: Readonly<Record<string, unknown>>): string | null {
  if (name === undefined) return isType(type) ? DEFAULT_SERVER : null;
  return isName.Check(name) ? name : null;
}

/** The instant that the record would have been given, were it one. */
function atOf(given: unknown, receivedAt: number): number | null {
  if (given === undefined) return receivedAt;
  if (!isInstant.Check(given)) return null;
  const sentAt = typeof given === 'number' ? given : Date.parse(given);
  if (Number.isNaN(sentAt)) return null;
  return sentAt < receivedAt - AT_PAST_MAX_MS || sentAt > receivedAt + AT_FUTURE_MAX_MS ? receivedAt : sentAt;
}
