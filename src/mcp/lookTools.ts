// Tools that look and change nothing in a notebook.
import { z } from 'zod';
import { cell, page, session, type Tool, tool } from './tool.ts';

export const lookTools: readonly Tool[] = [
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
    description:
      'Where a name is defined, and the cell that defines it, or the variants that do; the names there are when it is none.',
    scope: 'notebook:read',
    input: z.object({ ...session, name: z.string().max(512) }),
    run: async (services, { session_id, name }) => {
      const variants = services.variants(session_id, name);
      return { ...(await services.desk(session_id).variable(name)), ...(variants ? { variants } : {}) };
    },
  }),
  tool('read_table', {
    title: 'Read rows of a table',
    description: 'A page of a stored table: an artifact_uri from the outputs of a cell.',
    scope: 'notebook:read',
    input: z.object({
      ...cell,
      artifact_uri: z.string().max(1024),
      search: z.string().max(1000).nullable().default(null),
      sort_by: z.string().max(512).nullable().default(null),
      descending: z.boolean().default(false),
      ...page,
    }),
    run: (services, args) => services.readTable(args),
  }),
  tool('search', {
    title: 'Search sources',
    description: 'Lines of cell sources that hold a text.',
    scope: 'notebook:read',
    input: z.object({ ...session, text: z.string().min(1).max(1000), ...page }),
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
];
