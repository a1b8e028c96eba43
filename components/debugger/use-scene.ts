'use client';

import { useEffect, useMemo, useState } from 'react';
import type { Step } from '@/components/api/timeline';
import type { CallSpan } from '@/components/debugger/model/calls';
import { type History, placeIn, type SessionPart } from '@/components/debugger/model/history';
import { type MarkedAttempt, markAttempts } from '@/components/debugger/model/judgements';
import { type JumpTargets, jumpTargets } from '@/components/debugger/model/jumps';
import type { Lane } from '@/components/debugger/model/lane';
import { lanesOf } from '@/components/debugger/model/lanes';
import { linesOf, type ScaleGroup } from '@/components/debugger/model/plot-lines';
import type { FilterLine } from '@/components/debugger/model/record-filter';
import { foldSession, stepsOfStream } from '@/components/debugger/model/session-scene';
import type { KnownMark, PlotAttempt, PlotData } from '@/components/plot/plot-data';
import { plotOfTimeline } from '@/components/plot/plot-of-timeline';
import { type Entry, entriesOf } from '@/components/session/entries';
import type { Finding } from '@/lib/audit/finding';
import { createExplainer, type Explainer } from '@/lib/replay/explain';

/** What the panes draw: one stream of one session of a history, with all that is known of it. */
export interface Scene {
  readonly history: History;
  /** Null until the whole history has been judged, a moment after it is first seen. */
  readonly explainer: Explainer | null;
  readonly findings: readonly Finding[];
  readonly attempts: readonly MarkedAttempt[];
  readonly marks: ReadonlyMap<number, MarkedAttempt>;
  readonly part: SessionPart;
  readonly stream: string;
  /** Steps of the session, and of the stream alone. */
  readonly all: readonly Step[];
  readonly steps: readonly Step[];
  readonly data: PlotData;
  readonly groups: readonly ScaleGroup[];
  /** Attempts of the picture by the place of their record. */
  readonly plotted: ReadonlyMap<number, PlotAttempt>;
  readonly lanes: readonly Lane[];
  readonly calls: readonly CallSpan[];
  readonly targets: JumpTargets;
  /** Places of the attempts of the picture, in order. */
  readonly attemptPlaces: readonly number[];
  readonly entries: readonly Entry[];
}

/** The history judged as a whole; begun once the first picture is on the screen. */
export function useExplainer(history: History | null): Explainer | null {
  const [made, setMade] = useState<{ readonly history: History; readonly explainer: Explainer } | null>(null);
  useEffect(() => {
    if (history === null) return;
    const timer = setTimeout(() => setMade({ history, explainer: createExplainer(history.records) }));
    return () => clearTimeout(timer);
  }, [history]);
  return made === null || made.history !== history ? null : made.explainer;
}

/** The scene of one session and stream; null while the history has no session. */
export function useScene(
  history: History,
  findings: readonly Finding[],
  explainer: Explainer | null,
  session: number,
  wanted: string | null,
): Scene | null {
  const part = history.sessions[session] ?? history.sessions[0] ?? null;
  const attempts = useMemo(() => markAttempts(history, explainer), [history, explainer]);
  const marks = useMemo(() => new Map(attempts.map((attempt) => [attempt.index, attempt])), [attempts]);
  const known = useMemo(() => knownMarks(history, attempts), [history, attempts]);
  const folded = useMemo(() => (part === null ? null : foldSession(history, part)), [history, part]);
  const stream = part === null ? 'get' : part.streams.includes(wanted ?? '') ? (wanted ?? 'get') : mainStream(history, part);
  const steps = useMemo(() => (folded === null ? [] : stepsOfStream(folded, history, stream)), [folded, history, stream]);
  const data = useMemo(() => plotOfTimeline(steps, known, history.axis), [steps, known, history.axis]);
  return useMemo(() => {
    if (folded === null || part === null) return null;
    const plotted = plottedByPlace(steps, data);
    const own = findings.filter(({ index }) => part.indices[placeIn(part, index)] === index);
    const { lanes, calls } = lanesOf({ history, steps, all: folded.steps, data, marks, plotted });
    return {
      history,
      explainer,
      findings,
      attempts,
      marks,
      part,
      stream,
      all: folded.steps,
      steps,
      data,
      groups: linesOf(data),
      plotted,
      lanes,
      calls,
      targets: jumpTargets(
        folded.steps,
        marks,
        own.map(({ index }) => index),
      ),
      attemptPlaces: [...plotted.keys()],
      entries: entriesOf(folded.steps),
    };
  }, [history, explainer, findings, attempts, marks, part, stream, folded, steps, data]);
}

/** The stream that most of the session's records are of. */
function mainStream(history: History, part: SessionPart): string {
  if (part.streams.length === 1) return part.streams[0] ?? 'get';
  const counts = new Map<string, number>();
  for (const index of part.indices) {
    const stream = history.streams[index];
    const weight = history.records[index]?.type === 'resume_attempt' ? 1_000 : 1;
    if (stream != null) counts.set(stream, (counts.get(stream) ?? 0) + weight);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 'get';
}

function knownMarks(history: History, attempts: readonly MarkedAttempt[]): ReadonlyMap<string, KnownMark> {
  const known = new Map<string, KnownMark>();
  for (const { index, mark, judged } of attempts) {
    const key = history.records[index]?.id ?? `step-${index}`;
    known.set(key, judged === null ? { mark } : { mark, ruled: judged.decision });
  }
  return known;
}

/** The attempts of a picture stand in the order of their records. */
function plottedByPlace(steps: readonly Step[], data: PlotData): ReadonlyMap<number, PlotAttempt> {
  const plotted = new Map<number, PlotAttempt>();
  for (const { index, record } of steps) {
    if (record.type !== 'resume_attempt') continue;
    const attempt = data.attempts[plotted.size];
    if (attempt !== undefined) plotted.set(index, attempt);
  }
  return plotted;
}

/** The lines of the session that a filter lets through. */
export function filterLines(scene: Scene, isShown: (line: FilterLine) => boolean): FilterLine[] {
  const found = new Map<number, Finding[]>();
  for (const finding of scene.findings) found.set(finding.index, [...(found.get(finding.index) ?? []), finding]);
  const steps = new Map(scene.all.map((step) => [step.index, step]));
  return scene.entries.flatMap((entry) => {
    const step = steps.get(entry.last);
    if (step === undefined) return [];
    const line: FilterLine = {
      entry,
      record: step.record,
      step,
      mark: scene.marks.get(entry.last)?.mark ?? null,
      gap: scene.plotted.get(entry.last)?.gapCount ?? null,
      findings: found.get(entry.last) ?? [],
    };
    return isShown(line) ? [line] : [];
  });
}
