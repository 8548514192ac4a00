// Tools that run: cells, tests, jobs of the environment.
import { z } from 'zod';
import { cell, session, snippet, type Tool, tool } from './tool.ts';

export const runTools: readonly Tool[] = [
  tool('run_cell', {
    title: 'Run a cell',
    description:
      'Runs a cell and what it needs. rerun ignores its stored result, force runs it alone. confirm_reads does not start a run that would move more data than the server lets pass unasked (error_code large_read); approve_reads runs it and remembers that.',
    scope: 'notebook:execute',
    input: z.object({
      ...cell,
      mode: z.enum(['normal', 'rerun', 'force']).default('normal'),
      confirm_reads: z.boolean().default(false),
      approve_reads: z.boolean().default(false),
    }),
    run: (services, { session_id, cell_id, mode, confirm_reads: confirm, approve_reads: approve }, signal) =>
      services.desk(session_id).run(cell_id, mode, signal, { confirm, approve }),
  }),
  tool('run_all', {
    title: 'Run all cells',
    description: 'Runs every cell that is not current; goes round what fails unless told to stop.',
    scope: 'notebook:execute',
    input: z.object({ ...session, continue_on_error: z.boolean().default(true) }),
    run: (services, { session_id, continue_on_error }, signal) =>
      services.desk(session_id).runAll(continue_on_error, signal),
  }),
  tool('run_snippet', {
    title: 'Add and run a cell',
    description: 'Adds a cell, runs it and gives it back with its outputs.',
    scope: 'notebook:execute',
    input: z.object(snippet),
    run: async (services, { session_id, ...rest }, signal) => {
      const desk = services.desk(session_id);
      const { id } = await desk.add({ ...rest, author: services.author(rest.author) });
      const run = await desk.run(id, 'normal', signal);
      return { ...(await desk.cell(id)), run };
    },
  }),
  tool('cancel_cell', {
    title: 'Cancel a run',
    description: 'Ends the run that a cell belongs to.',
    scope: 'notebook:execute',
    input: z.object(cell),
    run: (services, { session_id, cell_id }) => services.desk(session_id).cancel(cell_id),
  }),
  tool('set_widget_value', {
    title: 'Set controls',
    description: 'Chooses values on the controls of a widget cell and runs it.',
    scope: 'notebook:execute',
    input: z.object({ ...cell, values: z.record(z.string(), z.json()) }),
    run: (services, { session_id, cell_id, values }, signal) =>
      services.desk(session_id).choose(cell_id, values, signal),
  }),
  tool('run_tests', {
    title: 'Test a cell',
    description:
      'Runs the pytest file of a cell, after replacing it when a source is given. Tests see the cell through the fixture `cell`.',
    scope: 'notebook:execute',
    input: z.object({ ...cell, test_source: z.string().max(1_000_000).nullable().default(null) }),
    run: (services, { session_id, cell_id, test_source }, signal) =>
      services.desk(session_id).test(cell_id, test_source ?? undefined, signal),
  }),
  tool('add_dependency', {
    title: 'Add a package',
    description: 'Adds a Python package to the environment of the notebook and waits for it.',
    scope: 'notebook:execute',
    input: z.object({ ...session, package: z.string().min(1).max(200) }),
    run: (services, args, signal) => services.desk(args.session_id).dependency('add', args.package, signal),
  }),
  tool('sync_environment', {
    title: 'Sync the environment',
    description: 'Makes the environment what the project file asks for, and waits: after it failed, or after an edit.',
    scope: 'notebook:execute',
    input: z.object(session),
    run: (services, { session_id }, signal) => services.syncEnvironment(session_id, signal),
  }),
  tool('remove_dependency', {
    title: 'Remove a package',
    description: 'Removes a Python package from the environment of the notebook.',
    scope: 'notebook:execute',
    destructive: true,
    input: z.object({ ...session, package: z.string().min(1).max(200) }),
    run: (services, args, signal) => services.desk(args.session_id).dependency('remove', args.package, signal),
  }),
];
