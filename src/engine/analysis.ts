// Static analysis of Python sources by the analysis process (`python/svc_engine/analysis.py`), remembered by source.
// A source always gets an answer: one that cannot be parsed, or that takes the process down, is answered with its
// error and empty lists. Only an engine that does not start is an exception.

import { hash } from 'node:crypto';
import { z } from 'zod';
import { createRecentlyUsed } from '../recentlyUsed.ts';
import type { Engine } from './engine.ts';
import { EngineCrashed, EngineTimeout } from './errors.ts';

const names = z.array(z.string());

const moduleFactsSchema = z.object({
  /** Functions, classes and literal constants at the top level, sorted by name. */
  exports: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['function', 'async function', 'class', 'constant']),
      /** Names that neither the slice nor Python provides, those of the functions it calls included. */
      needs: names,
      /** What it changes in place or binds by `global` when it is called: that is to be its caller's. */
      fills: names,
      /** A statement outside the slice binds or changes it: the slice would show another value than the cell. */
      changed: z.boolean(),
    }),
  ),
  /** Like `needs`, for running the slice at all: decorators, defaults, bases, annotations, class bodies. */
  loadNeeds: names,
  /** Top-level names bound to a lambda, which cannot travel as source. */
  lambdas: names,
  starImport: z.boolean(),
  /** The slice is the whole cell, byte for byte. */
  complete: z.boolean(),
});

const pythonAnalysisSchema = z.object({
  defines: names,
  references: names,
  mutationDefines: names,
  /** Those of `defines` that it binds by importing a module. */
  modules: names,
  builtinReferences: names,
  /** What is read for `_ = …` alone. */
  discardedReads: names,
  /** What is read for more than being called. */
  handedReads: names,
  /** Equal for sources that differ in comments, layout or quote style alone. */
  sourceDigest: z.string(),
  /** Null when there is no function, class or lambda at the top level. */
  module: moduleFactsSchema.nullable(),
  /** Lines and columns count from 1, columns in characters. */
  error: z.object({ message: z.string(), line: z.int().nullable(), column: z.int().nullable() }).nullable(),
});

const widgetCellSchema = z.object({
  descriptors: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['slider', 'number', 'dropdown', 'text', 'checkbox']),
      params: z.record(z.string(), z.unknown()),
      default: z.unknown(),
      /** Its default is a whole number: so are its values where they can be. */
      whole: z.boolean(),
    }),
  ),
  errors: z.array(z.string()),
});

export type WidgetCell = z.infer<typeof widgetCellSchema>;
export type WidgetDescriptor = WidgetCell['descriptors'][number];
export type ModuleFacts = z.infer<typeof moduleFactsSchema>;
export type PythonAnalysis = z.infer<typeof pythonAnalysisSchema>;

export interface Analysis {
  analyse(source: string): Promise<PythonAnalysis>;
  /** One answer for each source, in their order; all that is not remembered goes in one round trip. */
  analyseMany(sources: readonly string[]): Promise<PythonAnalysis[]>;
  /** The text that other cells re-execute to use what this cell exports. */
  moduleSource(source: string): Promise<string>;
  /** The controls of widget cells, one answer for each source. */
  widgets(sources: readonly string[]): Promise<WidgetCell[]>;
}

interface Question {
  readonly key: string;
  readonly source: string;
  readonly answer: PromiseWithResolvers<PythonAnalysis>;
}

/** A frame holds 64 MiB, and a character takes at most six bytes of it. */
const MAX_BATCH_CHARACTERS = 8 * 1024 * 1024;

/** What is remembered of one source: an answer grows with its source, and a long one is analysed at every edit. */
interface Remembered {
  readonly answer: Promise<PythonAnalysis>;
  readonly characters: number;
}

export interface AnalysisOptions {
  /** How many sources are remembered, and how long they may be together. */
  readonly remembered?: number;
  readonly rememberedCharacters?: number;
}

export function createAnalysis(engine: Pick<Engine, 'request'>, options: AnalysisOptions = {}): Analysis {
  const { remembered: most = 4096, rememberedCharacters: mostCharacters = 16 * 1024 * 1024 } = options;
  const remembered = createRecentlyUsed<Remembered>(most);
  let characters = 0;

  function remember(key: string, one: Remembered): void {
    characters += one.characters - (remembered.set(key, one)?.characters ?? 0);
    remembered.dropWhile((oldest) => {
      if (characters <= mostCharacters) return false;
      characters -= oldest.characters;
      return true;
    });
  }

  function forget(key: string, answer: Promise<PythonAnalysis>): void {
    const known = remembered.peek(key);
    if (known?.answer !== answer) return;
    characters -= known.characters;
    remembered.delete(key);
  }

  function analyseMany(sources: readonly string[]): Promise<PythonAnalysis[]> {
    const unknown: Question[] = [];
    const answers = sources.map((source) => {
      const key = hash('sha256', source);
      const known = remembered.get(key);
      if (known !== undefined) return known.answer;
      const answer = Promise.withResolvers<PythonAnalysis>();
      unknown.push({ key, source, answer });
      remember(key, { answer: answer.promise, characters: source.length });
      return answer.promise;
    });
    for (const batch of batches(unknown)) void settle(batch);
    return Promise.all(answers);
  }

  async function settle(batch: readonly Question[]): Promise<void> {
    try {
      const found = await ask(batch.map(({ source }) => source));
      batch.forEach(({ answer }, place) => {
        answer.resolve(answerAt(found, place));
      });
    } catch (problem) {
      for (const { key, answer } of batch) {
        forget(key, answer.promise);
        answer.reject(problem);
      }
    }
  }

  /** Halves a batch until the source that takes the process down stands alone. */
  async function ask(sources: readonly string[]): Promise<PythonAnalysis[]> {
    try {
      const schema = z.array(pythonAnalysisSchema).length(sources.length);
      return await engine.request('analyse_many', { sources }, { schema });
    } catch (problem) {
      if (!(problem instanceof EngineCrashed || problem instanceof EngineTimeout)) throw problem;
      if (sources.length === 1) return sources.map((source) => unreadable(source, problem));
      const middle = sources.length >> 1;
      return [...(await ask(sources.slice(0, middle))), ...(await ask(sources.slice(middle)))];
    }
  }

  return {
    analyse: async (source) => answerAt(await analyseMany([source]), 0),
    analyseMany,
    widgets: (sources) =>
      engine.request(
        'widgets',
        { sources: [...sources] },
        { schema: z.array(widgetCellSchema).length(sources.length) },
      ),
    moduleSource: (source) => engine.request('module_source', { source }, { schema: z.string() }),
  };
}

function answerAt(answers: readonly PythonAnalysis[], place: number): PythonAnalysis {
  const answer = answers[place];
  if (answer === undefined) throw new RangeError(`no analysis at ${place} of ${answers.length}`);
  return answer;
}

function batches(questions: readonly Question[]): Question[][] {
  const all: Question[][] = [];
  let room = -1;
  for (const question of questions) {
    room -= question.source.length;
    if (room < 0) {
      all.push([]);
      room = MAX_BATCH_CHARACTERS - question.source.length;
    }
    all.at(-1)?.push(question);
  }
  return all;
}

function unreadable(source: string, problem: EngineCrashed | EngineTimeout): PythonAnalysis {
  return {
    defines: [],
    references: [],
    mutationDefines: [],
    modules: [],
    builtinReferences: [],
    discardedReads: [],
    handedReads: [],
    sourceDigest: hash('sha256', `unread\0${source}`),
    module: null,
    error: { message: `Analysis failed: ${problem.message}`, line: null, column: null },
  };
}
