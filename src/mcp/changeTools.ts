// Tools that change a notebook without running anything of it.
import { z } from 'zod';
import { author, cell, session, snippet, type Tool, tool } from './tool.ts';

export const changeTools: readonly Tool[] = [
  tool('create_notebook', {
    title: 'Create a notebook',
    description:
      'Creates and opens a notebook; its environment is ready when this answers, unless environment_error says why not.',
    scope: 'notebook:write',
    input: z.object({
      name: z.string().min(1).max(255),
      parent_path: z.string().max(4096).default('.'),
      python_version: z.string().max(20).nullable().default(null),
    }),
    run: (services, args) => services.create(args),
  }),
  tool('open_notebook', {
    title: 'Open a notebook',
    description: 'Opens a notebook by its path, or finds the session that already has it open.',
    scope: 'notebook:write',
    input: z.object({ path: z.string().min(1).max(4096) }),
    run: (services, { path }) => services.open(path),
  }),
  tool('close_notebook', {
    title: 'Close a notebook',
    description: 'Closes the session; files and results stay.',
    scope: 'notebook:write',
    input: z.object(session),
    run: (services, { session_id }) => services.close(session_id),
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
    description:
      'Replaces the source of a cell. One that somebody else changed moments ago is refused, unless force takes it over.',
    scope: 'notebook:write',
    input: z.object({ ...cell, source: z.string().max(1_000_000), author, force: z.boolean().default(false) }),
    run: (services, { session_id, cell_id, source, author: name, force }) =>
      services.desk(session_id).edit(cell_id, source, services.author(name), force),
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
      group: z.string().max(128),
      active: z.string().max(128).nullable().default(null),
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
      services.note(session_id, message);
      return { ok: true };
    },
  }),
];
