// Common tasks in words, for people who start them from their agent.

export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  text(sessionId: string): string;
}

export const prompts: readonly Prompt[] = [
  {
    name: 'explain_notebook',
    title: 'Explain this notebook',
    description: 'What it computes, how its cells depend on each other, and what is not current.',
    text: (id) =>
      `Read the notebook of session ${id} with get_notebook and dag. Explain what it computes, step by step, name the cells that matter most, and say which are stale or failing and why.`,
  },
  {
    name: 'fix_failing_cells',
    title: 'Mend what fails',
    description: 'Finds failing cells, mends them one by one, and runs them.',
    text: (id) =>
      `In the notebook of session ${id}, look for failing cells with status. For each: read it with get_cell, find the cause, edit it with edit_cell as little as needed, run it with run_cell, and go on only when it succeeds. Say at the end what you changed.`,
  },
  {
    name: 'write_tests',
    title: 'Write tests for cells',
    description: 'Tests for the cells that define functions or important values.',
    text: (id) =>
      `In the notebook of session ${id}, find cells that define functions or values which others rely on. For each write a small pytest file that uses the fixture \`cell\` and run it with run_tests. Keep tests that pass; where one shows a defect, report it.`,
  },
];
