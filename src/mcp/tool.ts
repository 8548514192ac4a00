// What a tool of agents is: what it is for, what it takes, which scope it asks for; and arguments that several have.

import { z } from 'zod';
import { cellLanguages, usualLanguage } from '../cellLanguages.ts';
import type { Scope } from '../identity/index.ts';
import type { AgentServices } from './services.ts';

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

/** An argument that no tool knows is refused: a misspelt one would be as if it were not given. */
export function tool<Input extends z.ZodObject>(name: string, definition: Definition<Input>): Tool {
  const { title, description, scope, destructive = false, run } = definition;
  const isInNotebook = 'session_id' in definition.input.shape && scope !== 'notebook:read';
  const input = (isInNotebook ? definition.input.extend({ why }) : definition.input).strict();
  const hints = { readOnlyHint: scope === 'notebook:read', destructiveHint: destructive };
  return {
    name,
    title,
    description,
    scope,
    input,
    hints,
    run: async (services, args, signal) => run(services, definition.input.parse(args), signal),
  };
}

const id = z.string().min(1).max(128);

export const session = {
  session_id: id.describe('The open notebook, from list_notebooks, open_notebook or create_notebook'),
};
export const cell = { ...session, cell_id: id.describe('The cell, from get_notebook') };
const why = z.string().max(300).nullable().default(null).describe('Why, in a few words: shown to whoever watches');
export const author = z.string().max(128).nullable().default(null).describe('Who is credited with the change');
export const snippet = {
  ...session,
  source: z.string().max(1_000_000),
  after: id.nullable().default(null).describe('The cell that it comes after; at the end when none is named'),
  language: z.enum(cellLanguages).default(usualLanguage),
  author,
};
export const page = { limit: z.int().min(1).max(500).default(50), offset: z.int().min(0).default(0) };
