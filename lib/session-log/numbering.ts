import type { Told } from '@/lib/session-log/told';

/** Where the numbering of a stream stands, and what is known of it beside its events. */
export interface StreamNumbering {
  readonly name: string;
  readonly requestId: string | null;
  readonly head: number;
  /** Whether what came last is a loss, which stands for another one that follows too. */
  readonly endsInLoss: boolean;
  /** Whether the event at the head has an id. */
  readonly hasNamedHead: boolean;
  readonly isFinished: boolean;
  readonly reader: string | null;
  readonly answered: readonly string[];
  readonly lastAt: number;
}

/** The ids of a session, where one stream alone issued them and they are a count: all lie between the two. */
export interface RisingIds {
  readonly stream: string;
  readonly first: string;
  readonly greatest: string;
}

/** Where the numbering of a session stands: what a copy that is built without the events so far counts on from. */
export interface Numbering {
  readonly generation: number;
  readonly isHeardFromStart: boolean;
  readonly told: Told | null;
  readonly streams: readonly StreamNumbering[];
  readonly rising: RisingIds | null;
}
