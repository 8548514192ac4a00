// Refusals of help from models and agents.
import { Refusal } from './refusal.ts';

export const assistRefusals = {
  noModel: () =>
    new Refusal('conflict', {
      code: 'no_model',
      message:
        'No model is set up for this notebook: give it a key in its environment or under [ai] in notebook.toml, or set SVC_AI_API_KEY on the server.',
    }),

  agentsStopped: (by: string) =>
    new Refusal('conflict', {
      code: 'agents_stopped',
      message: `${by === 'local' ? 'Somebody' : by} has stopped agents in this notebook: this was not done, or not to its end. Do not try again before you are told to go on.`,
    }),

  assistNeedsCell: (task: string) => new Refusal('invalid', `Name the cell (cell_id) that '${task}' is about`),

  assistNeedsInstruction: (task: string) =>
    new Refusal(
      'invalid',
      `Say in 'instruction' what ${task === 'write' ? 'the new cell should do' : 'should change'}`,
    ),
};
