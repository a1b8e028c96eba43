import type { Step } from '@/components/api/timeline';
import type { History } from '@/components/debugger/model/history';
import type { MarkedAttempt } from '@/components/debugger/model/judgements';
import type { PlotAttempt, PlotData } from '@/components/plot/plot-data';
import type { Mark } from '@/lib/resume/mark';

/** A verdict's mark where an item stands for one, else how loud it is. */
export type Tone = Mark | 'plain' | 'quiet';

export interface LaneSpan {
  readonly fromX: number;
  readonly toX: number;
  /** Place of the record that a press on it selects. */
  readonly index: number;
  readonly words: string;
  readonly tone: Tone;
  /** Dashed: nothing is held open, something is only remembered. */
  readonly isDashed: boolean;
}

export interface LaneTick {
  readonly x: number;
  readonly index: number;
  readonly shape: 'tick' | 'evict' | 'cut' | 'mark' | 'flag';
  readonly tone: Tone;
  readonly words: string;
}

export interface Lane {
  readonly name: 'client' | 'connection' | 'proxy' | 'server log' | 'calls' | 'boots';
  readonly spans: readonly LaneSpan[];
  readonly ticks: readonly LaneTick[];
}

export interface LaneParts {
  readonly history: History;
  /** Steps of the stream, and of the whole session. */
  readonly steps: readonly Step[];
  readonly all: readonly Step[];
  readonly data: PlotData;
  readonly marks: ReadonlyMap<number, MarkedAttempt>;
  readonly plotted: ReadonlyMap<number, PlotAttempt>;
}
