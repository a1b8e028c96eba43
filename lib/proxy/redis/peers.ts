import type { Redis } from 'ioredis';
import type { PeerAnswers, Peers } from '@/lib/proxy/log-store';

const ANSWER_MS_MAX = 1_500;

export interface RedisPeersOptions {
  readonly redis: Redis;
  readonly subscriber: Redis;
  /** Name of this replica. */
  readonly node: string;
  /** Name that the replicas of one installation share, and those of no other. */
  readonly group: string;
  readonly onError: (error: Error) => void;
}

interface Waiting {
  readonly answers: string[];
  /** How many will answer; null until Redis said how many it handed the question to. */
  expected: number | null;
  readonly finish: () => void;
}

/** Questions and answers between the replicas that share a Redis. Nothing of them is stored. */
export class RedisPeers implements Peers {
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;
  private answer: (question: string) => Promise<string> = async () => '';

  constructor(private readonly options: RedisPeersOptions) {
    const { subscriber, node, onError } = options;
    subscriber.subscribe(this.questions, this.answersOf(node)).catch(onError);
    subscriber.on('message', (channel, text) => {
      if (channel === this.questions) this.onQuestion(text).catch(onError);
      else if (channel === this.answersOf(node)) this.onAnswer(text);
    });
  }

  async ask(question: string): Promise<PeerAnswers> {
    const { redis, node } = this.options;
    const id = ++this.asked;
    const answers: string[] = [];
    let finish = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const waiting: Waiting = { answers, expected: null, finish };
    this.waiting.set(id, waiting);
    const timer = setTimeout(finish, ANSWER_MS_MAX);
    try {
      // This replica hears its own question too.
      const expected = Math.max(0, (await redis.publish(this.questions, JSON.stringify({ node, id, question }))) - 1);
      waiting.expected = expected;
      if (answers.length < expected) await over;
      return { answers, silent: Math.max(0, expected - answers.length) };
    } finally {
      clearTimeout(timer);
      this.waiting.delete(id);
    }
  }

  onAsk(answer: (question: string) => Promise<string>): void {
    this.answer = answer;
  }

  private async onQuestion(text: string): Promise<void> {
    const { node, id, question } = JSON.parse(text) as { node: string; id: number; question: string };
    if (node === this.options.node) return;
    const answer = await this.answer(question);
    await this.options.redis.publish(this.answersOf(node), JSON.stringify({ id, answer }));
  }

  private onAnswer(text: string): void {
    const { id, answer } = JSON.parse(text) as { id: number; answer: string };
    const waiting = this.waiting.get(id);
    if (waiting === undefined) return;
    waiting.answers.push(answer);
    if (waiting.expected !== null && waiting.answers.length >= waiting.expected) waiting.finish();
  }

  private get questions(): string {
    return `tidemark:ask:${this.options.group}`;
  }

  private answersOf(node: string): string {
    return `tidemark:answer:${this.options.group}:${node}`;
  }
}
