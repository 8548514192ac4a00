// Tools about results beyond their notebook: where one comes from, publishing it, promoting it to the team's store.
import { z } from 'zod';
import { cell, type Tool, tool } from './tool.ts';

const result = {
  ...cell,
  variable: z
    .string()
    .min(1)
    .max(512)
    .describe('A variable whose value the cell has stored, or __display__<n> for what it showed'),
};

export const resultTools: readonly Tool[] = [
  tool('lineage', {
    title: 'Where a result comes from',
    description: 'A stored value and every step that it was made from, with sources and digests.',
    scope: 'notebook:read',
    input: z.object({ ...result, max_depth: z.int().min(1).max(100).default(10) }),
    run: (services, { session_id, cell_id: cellId, variable, max_depth }) =>
      services.results(session_id).lineage({ cellId, variable }, max_depth),
  }),
  tool('publish_preflight', {
    title: 'See what publishing would show',
    description:
      'What everybody could read if a stored value were published. Publishes nothing; show it to people first.',
    scope: 'notebook:read',
    input: z.object(result),
    run: (services, { session_id, cell_id: cellId, variable }) =>
      services.results(session_id).preflight({ cellId, variable }),
  }),
  tool('publish', {
    title: 'Publish a result',
    description:
      'Makes a stored value readable for everybody who has the link, with the steps that led to it. The link’s token is given this once; it is empty when the value is published already.',
    scope: 'artifacts:publish',
    destructive: true,
    input: z.object({ ...result, title: z.string().max(500).nullable().default(null) }),
    run: (services, { session_id, cell_id: cellId, variable, title }) =>
      services.results(session_id).publish({ cellId, variable }, title || null),
  }),
  tool('promote', {
    title: 'Promote a result',
    description:
      'Copies a stored value and what it was made from to the store that a team shares, and names it there. A protected alias waits for approval (status pending).',
    scope: 'notebook:write',
    input: z.object({
      ...result,
      name: z.string().min(1).max(512),
      alias: z.string().min(1).max(128).nullable().default(null),
      tags: z.record(z.string(), z.string()).nullable().default(null),
    }),
    run: (services, { session_id, cell_id: cellId, variable, name, alias, tags }) =>
      services.results(session_id).promote({ cellId, variable }, { name, alias, tags: tags ?? {} }),
  }),
];
