import { RESTORED_SESSION_HEADER } from './mcp-server';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' } as const;

/**
 * Takes a session over after a restart, as servers do that keep their sessions in a store: the stored
 * `initialize` is played again under the old token, so that the new process knows the session, but none of
 * the events that the old one had sent.
 */
export async function restoreSession(url: URL, sessionId: string, clientInfo = { name: 'restored', version: '0' }): Promise<void> {
  const initialize = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  };
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...HEADERS, [RESTORED_SESSION_HEADER]: sessionId },
    body: JSON.stringify(initialize),
  });
  await answer.text();
  if (!answer.ok) throw new Error(`the session could not be restored: ${answer.status}`);
  await postMessage(url, sessionId, { jsonrpc: '2.0', method: 'notifications/initialized' });
}

/** Posts one JSON-RPC message in a session and reads the whole answer. */
export async function postMessage(url: URL, sessionId: string, message: unknown): Promise<{ status: number; text: string }> {
  const headers = { ...HEADERS, 'mcp-session-id': sessionId, 'mcp-protocol-version': '2025-11-25' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(message) });
  return { status: answer.status, text: await answer.text() };
}

export function toolCall(id: number, name: string, args: Record<string, unknown>): unknown {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}
