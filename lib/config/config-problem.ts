/** One thing that is wrong with the configuration: where (a variable, or a field of the file), what, and what to do. No secret's value is ever part of it. */
export interface ConfigProblem {
  readonly code: 'config_invalid' | 'config_file_unreadable' | 'config_auth_required';
  readonly path: string;
  readonly message: string;
  /** Where in the file, from 1. */
  readonly line?: number;
  readonly nextStep?: string;
}

/** All problems as lines for a terminal. */
export function describeProblems(problems: readonly ConfigProblem[]): string {
  const lines = problems.map(
    ({ code, path, line, message, nextStep }) =>
      `  ${path}${line === undefined ? '' : ` (line ${line})`}: ${message} [${code}]${nextStep === undefined ? '' : `\n    → ${nextStep}`}`,
  );
  return `the configuration has ${problems.length} problem${problems.length === 1 ? '' : 's'}:\n${lines.join('\n')}`;
}
