// Filling the template of a prompt with stored values. Tables need the data process; everything else any engine can do.
import { z } from 'zod';
import type { Engine } from './engine.ts';
import type { JsonObject } from './frames.ts';

export interface TemplateInput {
  readonly contentType: string;
  readonly file: string;
  readonly variants?: Readonly<Record<string, TemplateInput>>;
}

export type TemplateInputs = Readonly<Record<string, TemplateInput>>;

export interface RenderedPrompt {
  readonly text: string;
  /** Names of values that could not be shown. */
  readonly opaque: readonly string[];
}

const schema = z.object({ text: z.string(), opaque: z.array(z.string()) });

export const renderPrompt = (
  engine: Pick<Engine, 'request'>,
  template: string,
  inputs: TemplateInputs,
): Promise<RenderedPrompt> => engine.request('render_prompt', { template, inputs: spelled(inputs) }, { schema });

/** Whether a value among them is a table, an array or another that only the data process reads. */
export const needsTables = (inputs: TemplateInputs): boolean =>
  Object.values(inputs).some(({ contentType, variants }) => contentType === 'arrow/ipc' || needsTables(variants ?? {}));

const spelled = (inputs: TemplateInputs): JsonObject =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, { contentType, file, variants = {} }]) => [
      name,
      { content_type: contentType, file, variants: spelled(variants) },
    ]),
  );
