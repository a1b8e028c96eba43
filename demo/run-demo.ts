import { startCorrectLog } from './scenarios/correct-log';
import { startEverything } from './scenarios/everything';
import { startRestarting } from './scenarios/restarting';
import { type DemoContext, pause, type Scenario } from './scenarios/scenario';
import { startSilentRing } from './scenarios/silent-ring';

const PAUSE_BETWEEN_ROUNDS_MS = 1200;

/**
 * Runs real MCP servers and clients until the signal aborts, then ends everything it started. A round that fails
 * is told and does not stop the others.
 */
export async function runDemo(context: DemoContext): Promise<void> {
  const starts: readonly (() => Promise<Scenario>)[] = [
    () => startSilentRing(context),
    () => startCorrectLog(context),
    () => startRestarting(context, { name: 'calendar', isGuarded: false }),
    () => startRestarting(context, { name: 'calendar-guarded', isGuarded: true }),
    () => startEverything(context),
  ];
  const scenarios: Scenario[] = [];
  try {
    for (const start of starts) {
      if (context.signal.aborted) break;
      scenarios.push(await start());
    }
    await Promise.all(scenarios.map((scenario) => repeat(scenario, context)));
  } finally {
    await Promise.all(scenarios.map((scenario) => scenario.close()));
  }
}

async function repeat(scenario: Scenario, { say, signal }: DemoContext): Promise<void> {
  for (let index = 0; !signal.aborted; index++) {
    try {
      await scenario.round(index);
      if (index === 0) say(`${scenario.name}: first round done`);
    } catch (cause) {
      if (!signal.aborted) say(`${scenario.name}: round ${index + 1} failed: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
    await pause(PAUSE_BETWEEN_ROUNDS_MS, signal);
  }
}
