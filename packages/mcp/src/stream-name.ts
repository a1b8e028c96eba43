import { STANDALONE_STREAM } from './store/event-store.js';

const NAME_LENGTH_MAX = 256;
const PLAIN_NAME = /^[\w.:-]{1,256}$/;
const CONTROL = /\p{Cc}/gu;

/** The contract's name of an SDK stream: `get` for the standalone one, the SDK's own id otherwise. */
export function streamName(streamId: string): string {
  if (streamId === STANDALONE_STREAM) return 'get';
  if (PLAIN_NAME.test(streamId)) return streamId;
  return streamId.replace(CONTROL, '').slice(0, NAME_LENGTH_MAX) || 'unnamed';
}
