// The one error of this room. It carries every problem found, so that an operator mends them in one go.

export class SettingsError extends Error {
  readonly problems: readonly string[];
  /** What a successful start would have warned about: a mistyped name is often the reason for a problem. */
  readonly warnings: readonly string[];

  constructor(problems: readonly string[], warnings: readonly string[] = []) {
    super(problems.join('\n'));
    this.name = 'SettingsError';
    this.problems = problems;
    this.warnings = warnings;
  }
}

/** What a program prints before it exits. */
export function describeProblems({ problems, warnings }: SettingsError): string {
  const [first, ...others] = problems;
  const head = others.length === 0 ? [`Svc cannot start: ${first}`] : ['Svc cannot start:', ...problems.map(bullet)];
  return [...head, ...warnings.map((warning) => `Note: ${warning}`)].join('\n');
}

function bullet(problem: string): string {
  return `  - ${problem}`;
}
