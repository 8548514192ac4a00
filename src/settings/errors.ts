// The one error of this room. It carries every problem found, so that an operator mends them in one go.

export class SettingsError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

/** What a program prints before it exits. */
export function describeProblems({ problems }: SettingsError): string {
  if (problems.length === 1) return `Svc cannot start: ${problems[0]}`;
  return ['Svc cannot start:', ...problems.map((problem) => `  - ${problem}`)].join('\n');
}
