let lastMessage: unknown;
let lastText = '';

/** JSON text of a message that is appended to a log, the empty text where it has none; kept for who watches the log. */
export function writtenText(message: unknown): string {
  lastText = JSON.stringify(message) ?? '';
  lastMessage = message;
  return lastText;
}

/** JSON text of a message that was just stored. Where a log has written it for that very message, it is not written again. */
export function storedText(message: unknown): string {
  const isWritten = typeof message === 'object' && message !== null && message === lastMessage;
  lastMessage = undefined;
  return isWritten ? lastText : (JSON.stringify(message) ?? '');
}
