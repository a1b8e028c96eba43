export interface Snippet {
  readonly id: 'curl' | 'sdk';
  readonly name: string;
  readonly text: string;
}

/** A record to begin with: a resume that was right, with every fact that judging it takes. */
const FIRST_RECORD = {
  type: 'resume_attempt',
  server: 'my-server',
  session: 'token-1',
  last_event_id: '41',
  cursor: 41,
  generation: 1,
  requested_generation: 1,
  session_state: 'live',
  floor: 40,
  head: 44,
  holes: [],
  verdict: 'resumed',
  status: 200,
  replayed: { count: 3, first: '42', last: '44' },
};

/** How to send the first event to `origin`: by hand, or from a server that is built on the official SDK. */
export function snippets(origin: string): readonly Snippet[] {
  return [
    {
      id: 'curl',
      name: 'curl',
      text: [
        `curl -sS ${origin}/api/v1/telemetry \\`,
        "  -H 'content-type: application/json' \\",
        `  -d '${JSON.stringify(FIRST_RECORD)}'`,
      ].join('\n'),
    },
    {
      id: 'sdk',
      name: 'TypeScript SDK, 1.x and 2.x',
      text: [
        "import { createTidemark } from '@tidemark/mcp';",
        '',
        `const tidemark = createTidemark({ url: '${origin}', server: 'my-server' });`,
        '// where the transport is made:',
        'eventStore: tidemark.eventStore(yourEventStore, { sessionId: () => transport.sessionId }),',
      ].join('\n'),
    },
  ];
}
