// Refusals of help from a model.
import { Refusal } from './refusal.ts';

export const assistRefusals = {
  noModel: () =>
    new Refusal('not_offered', {
      code: 'no_model',
      message:
        'No model is set up for this notebook: give it a key in its environment or under [ai] in notebook.toml, or set SVC_AI_API_KEY on the server.',
    }),

  assistNeedsCell: (task: string) => new Refusal('invalid', `Name the cell (cell_id) that '${task}' is about`),

  assistNeedsInstruction: (task: string) =>
    new Refusal(
      'invalid',
      `Say in 'instruction' what ${task === 'write' ? 'the new cell should do' : 'should change'}`,
    ),
};
