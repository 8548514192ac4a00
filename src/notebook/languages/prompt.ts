// Prompt cells: a template filled with values, asked of a model. The answer is the cell's one variable.
import { createHash } from 'node:crypto';
import type { RenderedPrompt, TemplateInputs } from '../../engine/index.ts';
import type { NetworkPolicy } from '../../fetch/index.ts';
import { type AiOffer, chooseProvider, type ModelUsage, type Provider } from '../../runtimes/index.ts';
import { type Annotations, bodyOf, outputVariable, parseAnnotations } from '../annotations/index.ts';
import type { Notebook } from '../document/index.ts';
import type { Language } from './language.ts';
import { noNames } from './sourceDigest.ts';

export interface PromptParts {
  readonly render: (template: string, inputs: TemplateInputs) => Promise<RenderedPrompt>;
  /** What the server offers to notebooks that say nothing themselves. */
  readonly offer: AiOffer;
  readonly policy: NetworkPolicy;
  readonly onUsage?: (usage: ModelUsage) => void;
}

/** Found first, so that a text full of beginnings is read once. */
export const place = /\{\{([^{}]*)\}\}/g;
export const reference = /^\s*([A-Za-z_]\w*)(?:\.[A-Za-z_]\w*(?:\([^)]*\))?)*\s*$/;
const builtins = new Set(
  'True False None print len range str int float list dict set tuple type isinstance sorted enumerate zip map filter sum min max abs round any all open input format repr'.split(
    ' ',
  ),
);

export function promptLanguage({ render, offer, policy, onUsage }: PromptParts): Language {
  const providerOf = (notebook: Notebook, { prompt }: Annotations, env: Readonly<Record<string, string>>): Provider =>
    chooseProvider(notebook.ai, env, offer, prompt);

  return {
    async read(cells) {
      return cells.map(({ source }) => {
        const annotations = parseAnnotations(source);
        const body = bodyOf(source, 'prompt');
        const roots = [...body.matchAll(place)].flatMap(([, inside = '']) => reference.exec(inside)?.[1] ?? []);
        const references = [...new Set(roots)].filter((name) => !builtins.has(name));
        const defines = [outputVariable(annotations)];
        return { names: { ...noNames, defines, references }, digest: digestOf(body, annotations) };
      });
    },

    environment(notebook, annotations, env) {
      const { model, maxTokens } = providerOf(notebook, annotations, env);
      return `prompt\0${model}\0${maxTokens}`;
    },

    async engage({ notebook, cell, annotations, env }) {
      const { runPrompt } = await import('../../runtimes/prompt/promptRun.ts');
      const { system, temperature, output, outputSchema, validateRetries } = annotations.prompt;
      const schema = schemaOf(outputSchema);
      return {
        async run(job, onEvent, signal) {
          const { text, opaque } = await render(bodyOf(cell.source, 'prompt'), job.inputs);
          return runPrompt(
            {
              provider: providerOf(notebook, annotations, env),
              text,
              system,
              temperature: temperature ?? 0,
              output: output === 'json' || schema ? 'json' : 'text',
              schema,
              attempts: validateRetries ?? 3,
              variable: outputVariable(annotations),
              outputDir: job.outputDir,
              opaque,
              policy,
              onUsage,
            },
            onEvent,
            signal,
          );
        },
      };
    },
  };
}

/** Comments are no part of a prompt, but these annotations are. */
function digestOf(body: string, { name: _name, prompt }: Annotations): string {
  const { model: _model, maxTokens: _tokens, ...asked } = prompt;
  return createHash('sha256')
    .update(JSON.stringify([body, asked]))
    .digest('hex');
}

/** One that is no JSON object is diagnosed and left out. */
function schemaOf(text: string | null): Readonly<Record<string, unknown>> | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value))
      : null;
  } catch {
    return null;
  }
}
