// What an editor asks while somebody types: what may stand here, and what this means. One process of the notebook's own
// environment answers for all its Python cells; it ends when nobody has asked for a while.
import { typingTools } from '../../places.ts';
import type { CodeAnswer, CodeQuestion, Completer, InputFile, Place, Runtime } from '../../runtimes/index.ts';
import { cellOf, type Notebook } from '../document/index.ts';
import type { KeptResult, Sketch } from '../run/index.ts';
import type { Shape } from '../shape/index.ts';
import type { StoredValue } from '../state/index.ts';

export interface HintRequest {
  readonly ask: CodeQuestion['ask'];
  readonly cellId: string;
  /** What the editor shows now; it may not have been saved yet. */
  readonly source: string;
  /** Where the cursor is, in UTF-16 units. */
  readonly offset: number;
}

export interface Hints {
  /** Nothing where there is nobody to ask, or an answer takes too long. */
  ask(request: HintRequest): Promise<CodeAnswer | undefined>;
  close(): Promise<void>;
}

export interface HintParts {
  readonly runtime: () => Runtime | undefined;
  readonly now: () => { readonly notebook: Notebook; readonly shape: Shape };
  /** The result that a cell shows. */
  readonly resultOf: (cellId: string) => KeptResult | undefined;
  readonly filesOf: (values: ReadonlyMap<string, StoredValue>) => Record<string, InputFile>;
  readonly placeOf: (cellId: string) => Place;
  /** What is offered in SQL cells. */
  readonly query: (request: HintRequest) => Promise<CodeAnswer | undefined>;
}

/** The first question of a process reads large packages; what was read then stays at hand. */
const patienceSeconds = 15;
/** Whoever types on asks anew: no answer holds up the next one for longer. */
const typingSeconds = 0.5;
/** A process that says nothing for this long never will. */
const lostMilliseconds = 30_000;
const lostTypingMilliseconds = 20_000;
const idleMilliseconds = 120_000;
const maxAbove = 200_000;

export function createHints({ runtime, now, resultOf, filesOf, placeOf, query }: HintParts): Hints {
  let opened: Promise<Completer> | undefined;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const newest = new Map<string, HintRequest>();

  async function close(): Promise<void> {
    clearTimeout(idle);
    const closing = opened;
    opened = undefined;
    await (await closing?.catch(() => undefined))?.close();
  }

  function open(cellId: string): Promise<Completer> | undefined {
    const running = runtime();
    clearTimeout(idle);
    idle = setTimeout(() => void close(), idleMilliseconds).unref();
    if (running) opened ??= running.openCompleter(placeOf(cellId), typingTools());
    return opened;
  }

  /** Answers while the process has no other question; a later one may be asked when it has answered, or is lost. */
  async function answerOf(request: HintRequest, isSecondTry = false): Promise<CodeAnswer | undefined> {
    const completer = await open(request.cellId)?.catch(() => undefined);
    const seconds = request.ask === 'complete' ? typingSeconds : patienceSeconds;
    const answer = await within(
      request.ask === 'complete' ? lostTypingMilliseconds : lostMilliseconds,
      completer?.ask({ ...questionOf(request), seconds }),
    );
    if (answer !== undefined) return answer;
    // It may have ended long ago, as with the environment that it was opened in.
    const hasEnded = completer?.isOver() === true;
    await close();
    return hasEnded && !isSecondTry ? answerOf(request, true) : undefined;
  }

  function questionOf({ ask, cellId, source, offset }: HintRequest): Omit<CodeQuestion, 'seconds'> {
    const { notebook, shape } = now();
    const values = new Map<string, StoredValue>();
    const sketches: Record<string, Sketch> = {};
    const awaited: string[] = [];
    const above = notebook.cells.slice(0, notebook.cells.indexOf(cellOf(notebook, cellId)));
    const makers = new Map<string, string>();
    for (const { id } of above) {
      const form = shape.cells.get(id);
      if (form?.variantActive) for (const name of form.defines) makers.set(name, id);
    }
    for (const name of new Set(source.match(/[\p{L}_][\p{L}\p{N}_]*/gu))) {
      const maker = makers.get(name);
      if (maker === undefined) continue;
      const result = resultOf(maker);
      const value = result?.variables[name];
      const sketch = result?.sketches?.[name];
      if (value) values.set(name, value);
      if (sketch) sketches[name] = sketch;
      if (!value && !sketch) awaited.push(name);
    }
    return {
      ask,
      source,
      ...placeIn(source, offset),
      inputs: filesOf(values),
      sketches,
      awaited,
      above: above
        .filter(({ language }) => language === 'python')
        .map((cell) => `${cell.source}\n`)
        .join('')
        .slice(-maxAbove),
    };
  }

  return {
    async ask(request) {
      const { language } = cellOf(now().notebook, request.cellId);
      if (language === 'sql' && request.ask === 'complete') return query(request);
      if (language !== 'python') return undefined;
      newest.set(request.cellId, request);
      const answer = last.then(() => {
        // Somebody typed on while it waited.
        if (newest.get(request.cellId) !== request) return undefined;
        newest.delete(request.cellId);
        return answerOf(request);
      });
      last = answer.catch(() => {});
      const found = await answer;
      return found && { ...found, from: offsetIn(request.source, request.offset, found.from) };
    },
    close,
  };
}

function within<T>(milliseconds: number, work: Promise<T> | undefined): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, milliseconds, undefined);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

/** Python counts code points. */
function placeIn(source: string, offset: number): { line: number; column: number } {
  const lines = source.slice(0, offset).split('\n');
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length };
}

/** The offset of a column in the line that this offset is in. */
function offsetIn(source: string, offset: number, column: number): number {
  const start = source.lastIndexOf('\n', offset - 1) + 1;
  return start + [...source.slice(start, offset)].slice(0, column).join('').length;
}
