import { MESSAGES_MAX, type MessageMember, type RpcSummary, summarizeMembers, VERSION_KEY } from '@/lib/proxy/rpc-summary';

/** Bytes that are kept of one id, method or name; what is longer is not told. */
const TEXT_BYTES_MAX = 1024;
/** Nesting that is followed by name: a batch, its message, `params`, `_meta`. Deeper, only brackets are counted. */
const DEPTH_MAX = 4;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const ARRAY_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/**
 * Reads a JSON-RPC body as it flows past, in any pieces: of each top-level message what `RpcSummary` tells. What it holds
 * is bounded whatever the body's size. It checks no grammar: of a body that is no JSON it makes what it can, and the
 * upstream refuses it.
 */
export class RpcScanner {
  private readonly messages: RpcSummary[] = [];
  private members = new Map<MessageMember, unknown>();
  /** Of each container around the place that is read: whether it is an object, and the member that is being read. */
  private readonly isObject: boolean[] = [];
  private readonly names: string[] = [];
  private depth = 0;
  /** Depth of a message's members: 1, or 2 in a batch. */
  private base = 1;
  /** Whether the next text names a member. */
  private isNameDue = false;
  private token: 'none' | 'text' | 'bare' = 'none';
  private isEscaped = false;
  /** Bytes of the token that is read, where it is wanted. */
  private kept: number[] | null = null;

  /** What was read so far; a message that is not whole counts with what came of it. */
  read(): readonly RpcSummary[] {
    return this.members.size === 0 ? this.messages : [...this.messages, summarizeMembers(this.members)];
  }

  feed(chunk: Uint8Array): void {
    for (let i = 0; i < chunk.length; i++) {
      if (this.token === 'text' && this.kept === null && !this.isEscaped) i = endOfRun(chunk, i);
      const byte = chunk[i];
      if (byte === undefined) return;
      if (this.token === 'text') this.readText(byte);
      else this.readOutside(byte);
    }
  }

  private readText(byte: number): void {
    if (!this.isEscaped && byte === QUOTE) {
      this.endToken();
      return;
    }
    this.isEscaped = !this.isEscaped && byte === BACKSLASH;
    this.keep(byte);
  }

  private readOutside(byte: number): void {
    switch (byte) {
      case QUOTE:
        this.token = 'text';
        this.kept = this.isNameDue || this.wanted() !== null ? [] : null;
        return;
      case OBJECT:
      case ARRAY:
        this.open(byte === OBJECT);
        return;
      case OBJECT_END:
      case ARRAY_END:
        this.endToken();
        this.close();
        return;
      case COMMA:
        this.endToken();
        this.isNameDue = this.isObject[this.depth] === true;
        return;
      case COLON:
        this.isNameDue = false;
        return;
      default:
        this.readBare(byte);
    }
  }

  /** A number, `true` and the like. */
  private readBare(byte: number): void {
    if (byte <= 0x20) {
      this.endToken();
      return;
    }
    if (this.token === 'none') {
      this.token = 'bare';
      this.kept = this.wanted() === null ? null : [];
    }
    this.keep(byte);
  }

  private endToken(): void {
    const { token, kept } = this;
    if (token === 'none') return;
    this.token = 'none';
    this.kept = null;
    const text = kept === null ? '' : Buffer.from(kept).toString('utf8');
    const value = kept === null ? null : parsed(token === 'text' ? `"${text}"` : text);
    if (!this.isNameDue) this.note(value);
    else this.names[this.depth] = typeof value === 'string' ? value : '';
  }

  private open(isObject: boolean): void {
    if (this.depth === 0) this.base = isObject ? 1 : 2;
    this.note(null);
    this.depth++;
    const isFollowed = this.depth <= DEPTH_MAX;
    this.isNameDue = isObject && isFollowed;
    if (!isFollowed) return;
    this.isObject[this.depth] = isObject;
    this.names[this.depth] = '';
  }

  private close(): void {
    if (this.depth === this.base) {
      if (this.members.size > 0 && this.messages.length < MESSAGES_MAX) this.messages.push(summarizeMembers(this.members));
      this.members = new Map();
    }
    if (this.depth > 0) this.depth--;
    this.isNameDue = false;
  }

  /** Which member of a message the value here is; null for all that nobody asks for. */
  private wanted(): MessageMember | null {
    const { depth, base, names } = this;
    if (depth > DEPTH_MAX || depth < base || this.isObject[base] !== true) return null;
    const name = names[depth] ?? '';
    if (depth === base) return TOP_LEVEL.get(name) ?? null;
    if (names[base] !== 'params') return null;
    if (depth === base + 1) return name === 'name' ? 'tool' : null;
    return depth === base + 2 && names[base + 1] === '_meta' && name === VERSION_KEY ? 'version' : null;
  }

  private note(value: unknown): void {
    const member = this.wanted();
    if (member !== null) this.members.set(member, value);
  }

  private keep(byte: number): void {
    const { kept } = this;
    if (kept === null) return;
    if (kept.length < TEXT_BYTES_MAX) kept.push(byte);
    else this.kept = null;
  }
}

const TOP_LEVEL: ReadonlyMap<string, MessageMember> = new Map([
  ['id', 'id'],
  ['method', 'method'],
  ['error', 'error'],
]);

/** Where a run of text ends that has no quote and no backslash in it, or the chunk. */
function endOfRun(chunk: Uint8Array, from: number): number {
  let at = from;
  while (at < chunk.length && chunk[at] !== QUOTE && chunk[at] !== BACKSLASH) at++;
  return at;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
