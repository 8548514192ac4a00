// The tools that agents have, one after the other: what each is for, what it takes, which scope it asks for. An agent can go
// from nothing to a tested notebook with them.
import { z } from 'zod';
import type { AgentServices } from './services.ts';

type Scope = 'notebook:read' | 'notebook:write' | 'notebook:execute';

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly scope: Scope;
  readonly input: z.ZodObject;
  readonly hints: {
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
  };
  /** `signal`: the caller went away. */
  run(services: AgentServices, args: unknown, signal: AbortSignal): Promise<object>;
}

interface Definition<Input extends z.ZodObject> {
  readonly title: string;
  readonly description: string;
  readonly scope: Scope;
  readonly input: Input;
  readonly destructive?: boolean;
  readonly run: (services: AgentServices, args: z.output<Input>, signal: AbortSignal) => Promise<object> | object;
}

function tool<Input extends z.ZodObject>(name: string, definition: Definition<Input>): Tool {
  const { title, description, scope, input, destructive = false, run } = definition;
  const hints = { readOnlyHint: scope === 'notebook:read', destructiveHint: destructive };
  return {
    name,
    title,
    description,
    scope,
    input,
    hints,
    run: async (services, args, signal) => run(services, input.parse(args), signal),
  };
}

const session = {
  session_id: z.string().describe('The open notebook, from list_notebooks, open_notebook or create_notebook'),
};
const cell = { ...session, cell_id: z.string().describe('The cell, from get_notebook') };
const author = z.string().max(128).nullable().default(null).describe('Who is credited with the change');
const language = z.enum(['python', 'markdown', 'sql', 'r', 'prompt', 'widget']).default('python');
const snippet = {
  ...session,
  source: z.string().max(1_000_000),
  after: z.string().nullable().default(null).describe('The cell that it comes after; at the end when none is named'),
  language,
  author,
};
const page = { limit: z.int().min(1).max(500).default(50), offset: z.int().min(0).default(0) };

export const tools: readonly Tool[] = [
  tool('list_notebooks', {
    title: 'List open notebooks',
    description: 'Notebooks that are open on this server. Use discover_notebooks for those on disk.',
    scope: 'notebook:read',
    input: z.object({}),
    run: (services) => ({ result: services.openNotebooks() }),
  }),
  tool('discover_notebooks', {
    title: 'Find notebooks on disk',
    description: 'Notebooks below the storage root, newest first.',
    scope: 'notebook:read',
    input: z.object({}),
    run: async (services) => ({ result: await services.discover() }),
  }),
  tool('create_notebook', {
    title: 'Create a notebook',
    description: 'Creates and opens a notebook; its environment is ready when this answers.',
    scope: 'notebook:write',
    input: z.object({
      name: z.string().min(1),
      parent_path: z.string().default('.'),
      python_version: z.string().nullable().default(null),
    }),
    run: (services, args) => services.create(args),
  }),
  tool('open_notebook', {
    title: 'Open a notebook',
    description: 'Opens a notebook by its path, or finds the session that already has it open.',
    scope: 'notebook:write',
    input: z.object({ path: z.string().min(1) }),
    run: (services, { path }) => services.open(path),
  }),
  tool('get_notebook', {
    title: 'Read a notebook',
    description: 'All cells with sources, statuses, outputs and errors.',
    scope: 'notebook:read',
    input: z.object(session),
    run: async (services, { session_id }) => ({ cells: await services.desk(session_id).cells() }),
  }),
  tool('get_cell', {
    title: 'Read a cell',
    description: 'One cell with its source, outputs, console, error and tests.',
    scope: 'notebook:read',
    input: z.object(cell),
    run: (services, { session_id, cell_id }) => services.desk(session_id).cell(cell_id),
  }),
  tool('get_variable', {
    title: 'Find a variable',
    description: 'Where a name is defined, and the cell that defines it; the names there are when it is none.',
    scope: 'notebook:read',
    input: z.object({ ...session, name: z.string() }),
    run: (services, { session_id, name }) => services.desk(session_id).variable(name),
  }),
  tool('read_table', {
    title: 'Read rows of a table',
    description: 'A page of a stored table: an artifact_uri from the outputs of a cell.',
    scope: 'notebook:read',
    input: z.object({
      ...cell,
      artifact_uri: z.string(),
      search: z.string().nullable().default(null),
      sort_by: z.string().nullable().default(null),
      descending: z.boolean().default(false),
      ...page,
    }),
    run: (services, args) => services.readTable(args),
  }),
  tool('search', {
    title: 'Search sources',
    description: 'Lines of cell sources that hold a text.',
    scope: 'notebook:read',
    input: z.object({ ...session, text: z.string().min(1), ...page }),
    run: async (services, { session_id, text, limit, offset }) => {
      const found = (await services.desk(session_id).cells()).flatMap(({ id, source }) =>
        source
          .split('\n')
          .flatMap((line, index) => (line.includes(text) ? [{ cell_id: id, line: index + 1, text: line }] : [])),
      );
      return { total: found.length, matches: found.slice(offset, offset + limit) };
    },
  }),
  tool('dag', {
    title: 'How cells depend on each other',
    description: 'Edges, order, roots, leaves and which cell makes each variable.',
    scope: 'notebook:read',
    input: z.object(session),
    run: (services, { session_id }) => services.desk(session_id).dag(),
  }),
  tool('status', {
    title: 'Status of all cells',
    description: 'Names, languages and statuses, without sources and outputs.',
    scope: 'notebook:read',
    input: z.object(session),
    run: (services, { session_id }) => services.desk(session_id).status(),
  }),
  tool('environment', {
    title: 'Look at the environment',
    description: 'Python version, packages and the last environment job.',
    scope: 'notebook:read',
    input: z.object(session),
    run: (services, { session_id }) => services.environment(session_id),
  }),
  tool('save_cell_output', {
    title: 'Save an output to a file',
    description: 'Writes one display output below .svc/outputs of the notebook.',
    scope: 'notebook:read',
    input: z.object({ ...cell, index: z.int().default(-1) }),
    run: (services, { session_id, cell_id, index }) => services.saveOutput(session_id, cell_id, index),
  }),
  tool('add_cell', {
    title: 'Add a cell',
    description: 'Adds a cell without running it.',
    scope: 'notebook:write',
    input: z.object(snippet),
    run: (services, { session_id, ...rest }) =>
      services.desk(session_id).add({ ...rest, author: services.author(rest.author) }),
  }),
  tool('edit_cell', {
    title: 'Edit a cell',
    description: 'Replaces the source of a cell.',
    scope: 'notebook:write',
    input: z.object({ ...cell, source: z.string().max(1_000_000), author }),
    run: (services, args) =>
      services.desk(args.session_id).edit(args.cell_id, args.source, services.author(args.author)),
  }),
  tool('remove_cell', {
    title: 'Delete a cell',
    description: 'Deletes a cell and its results.',
    scope: 'notebook:write',
    destructive: true,
    input: z.object(cell),
    run: (services, { session_id, cell_id }) => services.desk(session_id).remove(cell_id),
  }),
  tool('move_cell', {
    title: 'Move a cell',
    description: 'Puts a cell at another place, counted from 0.',
    scope: 'notebook:write',
    input: z.object({ ...cell, index: z.int().min(0) }),
    run: async (services, { session_id, cell_id, index }) => ({
      cells: await services.desk(session_id).move(cell_id, index),
    }),
  }),
  tool('set_variant', {
    title: 'Choose a variant',
    description: 'Makes a variant the active one of its group, or sets whether the group is switched or swept.',
    scope: 'notebook:write',
    input: z.object({
      ...session,
      group: z.string(),
      active: z.string().nullable().default(null),
      mode: z.enum(['switch', 'sweep']).nullable().default(null),
    }),
    run: (services, { session_id, group, active, mode }) => {
      if (active === null && mode === null) throw new Error('Name a variant, a mode, or both.');
      return services
        .desk(session_id)
        .setVariant(group, { ...(active === null ? {} : { active }), ...(mode === null ? {} : { mode }) });
    },
  }),
  tool('note', {
    title: 'Tell people something',
    description: 'Shows a short message to whoever has the notebook open.',
    scope: 'notebook:write',
    input: z.object({ ...session, message: z.string().min(1).max(2000) }),
    run: (services, { session_id, message }) => {
      services.note(session_id, 'agent', message);
      return { ok: true };
    },
  }),
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
    run: (services, { session_id, cell_id, values }) => services.desk(session_id).choose(cell_id, values),
  }),
  tool('run_tests', {
    title: 'Test a cell',
    description:
      'Runs the pytest file of a cell, after replacing it when a source is given. Tests see the cell through the fixture `cell`.',
    scope: 'notebook:execute',
    input: z.object({ ...cell, test_source: z.string().nullable().default(null) }),
    run: (services, { session_id, cell_id, test_source }, signal) =>
      services.desk(session_id).test(cell_id, test_source ?? undefined, signal),
  }),
  tool('add_dependency', {
    title: 'Add a package',
    description: 'Adds a Python package to the environment of the notebook and waits for it.',
    scope: 'notebook:execute',
    input: z.object({ ...session, package: z.string().min(1).max(200) }),
    run: (services, args) => services.desk(args.session_id).dependency('add', args.package),
  }),
  tool('remove_dependency', {
    title: 'Remove a package',
    description: 'Removes a Python package from the environment of the notebook.',
    scope: 'notebook:execute',
    destructive: true,
    input: z.object({ ...session, package: z.string().min(1).max(200) }),
    run: (services, args) => services.desk(args.session_id).dependency('remove', args.package),
  }),
  tool('close_notebook', {
    title: 'Close a notebook',
    description: 'Closes the session; files and results stay.',
    scope: 'notebook:write',
    input: z.object(session),
    run: (services, { session_id }) => services.close(session_id),
  }),
];
