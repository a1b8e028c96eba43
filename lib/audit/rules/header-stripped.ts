import type { ClientKind, ServerState } from '@/lib/audit/model/types';
import type { Report, Rule } from '@/lib/audit/rule';

/** Sessions of one kind of client that must have come back without their cursor. */
const SESSIONS_FROM = 3;
const KINDS_MAX = 1_024;
const TOKENS_MAX = 1_024;

/** Clients of one kind never get their cursor through, those of another kind on the same server do. */
export const headerStripped: Rule = {
  code: 'header_stripped',
  attempted: ({ attempt, session, stream, serverState }, report) => {
    const { held } = stream;
    if (attempt.client === null || session.token === null) return;
    const hadCursor = attempt.text !== null || (held !== null && !held.isCleared && !held.isRefused);
    if (!hadCursor) return;
    const kind = kindOf(serverState, attempt.client, attempt.index);
    if (kind === null) return;
    kind.lastIndex = attempt.index;
    if (kind.returned.size < TOKENS_MAX) kind.returned.add(session.token);
    if (attempt.text !== null && kind.presented.size < TOKENS_MAX) kind.presented.add(session.token);
    for (const [name, other] of serverState.clients) tell(serverState, name, other, attempt.index, report);
  },
};

function kindOf(server: ServerState, client: string, index: number): ClientKind | null {
  let kind = server.clients.get(client);
  if (kind === undefined) {
    if (server.clients.size >= KINDS_MAX) return null;
    kind = { returned: new Set(), presented: new Set(), firstIndex: index, lastIndex: index };
    server.clients.set(client, kind);
  }
  return kind;
}

function tell(server: ServerState, name: string, kind: ClientKind, index: number, report: Report): void {
  if (kind.presented.size > 0 || kind.returned.size < SESSIONS_FROM) return;
  let presenting: string | null = null;
  for (const [other, { presented }] of server.clients) if (other !== name && presented.size > 0) presenting = other;
  if (presenting === null) return;
  report({
    index,
    count: kind.returned.size,
    server: server.server,
    session: null,
    stream: null,
    records: [kind.firstIndex, kind.lastIndex],
    key: name,
    message: `All ${kind.returned.size} sessions of client ${name} came back without the cursor they had; ${presenting} presents its own on the same server.`,
  });
}
