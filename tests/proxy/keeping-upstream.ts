import { frame, openSse, type SeenRequest } from '@/tests/proxy/scripted-upstream';

/** An upstream that keeps every session's events and replays them from a cursor, as a correct server does. */
export class KeepingUpstream {
  readonly sessions = new Map<string, { events: { id: string; data: string }[]; res: SeenRequest['res'] | null }>();
  private minted = 0;
  private told = 0;

  answer = (request: SeenRequest): void => {
    const { res, headers, method, body } = request;
    const message = body.length === 0 ? null : JSON.parse(body.toString());
    if (message?.method === 'initialize') {
      const token = `${this.incarnation}-${++this.minted}`;
      this.sessions.set(token, { events: [], res: null });
      res
        .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': token })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} }));
      return;
    }
    const session = this.sessions.get(String(headers['mcp-session-id']));
    if (session === undefined) res.writeHead(404).end();
    else if (method === 'POST')
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} }));
    else {
      const cursor = headers['last-event-id'];
      const from = session.events.findIndex((event) => event.id === cursor) + 1;
      session.res = openSse(res);
      if (cursor !== undefined) for (const event of session.events.slice(from)) res.write(frame(event.id, event.data));
    }
  };

  constructor(
    public incarnation = 'a',
    /** Id of the n-th event of a session. */
    private readonly idOf = (token: string, n: number): string => `${token}_${n}`,
  ) {}

  emit(token: string, data = '{}'): void {
    const session = this.sessions.get(token);
    if (session === undefined) return;
    const id = this.idOf(token, session.events.length + 1);
    session.events.push({ id, data });
    session.res?.write(frame(id, data));
  }
  /** Emits so many messages on every session's stream; answers the data of each, by which a client counts them. */
  say(tokens: readonly string[], count: number, bytes = 0): string[] {
    const texts = Array.from({ length: count }, () => String(++this.told));
    for (const data of texts) {
      const message = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data, padding: 'x'.repeat(bytes) } };
      for (const token of tokens) this.emit(token, JSON.stringify(message));
    }
    return texts;
  }
}
