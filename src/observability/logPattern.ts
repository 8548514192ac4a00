/**
 * Regular expressions that came from a client, matched under a time bound. JavaScript's engine backtracks, and no check
 * of the pattern's text finds every slow one (`(a|a)*b`, `.*.*.*=`), so the match itself runs inside `node:vm`, whose
 * timeout interrupts the engine. One such call costs 0.1 ms, hence whole batches of texts, never one text at a time.
 */
import { createContext, Script } from 'node:vm';

/** The client's pattern is not usable; the message is fit for the answer. */
export class LogPatternError extends Error {
  override name = 'LogPatternError';
}

export interface LogPattern {
  /** Which of the texts match. Throws LogPatternError when the bound is exceeded. */
  matches(texts: readonly string[]): readonly boolean[];
}

const maxPatternLength = 512;
const maxTextLength = 4096;
/** Far more than an honest search of the ring takes; the server stands still meanwhile. */
const boundMs = 250;
/** A busy machine may not have let it work for half of that: it is tried again. */
const maxAttempts = 3;

const inlineFlags = /^\(\?([ims]+)\)/;

export interface LogPatterns {
  /** Throws LogPatternError when the expression cannot be read. */
  compile(source: string): LogPattern;
}

export function createLogPatterns(): LogPatterns {
  // Made at the first match: a context costs a millisecond and some memory.
  let matchWithin: MatchWithin | undefined;
  return {
    compile(source) {
      if (source.length > maxPatternLength) {
        throw new LogPatternError(`invalid regex: longer than ${maxPatternLength} characters`);
      }
      const pattern = parse(source);
      return {
        matches(texts) {
          if (texts.length === 0) return [];
          matchWithin ??= createMatcher();
          return matchWithin(pattern, texts);
        },
      };
    },
  };
}

/** Leading flags such as `(?i)` are usual elsewhere and unknown to JavaScript. A text has a line for each part of a record. */
function parse(source: string): RegExp {
  const flags = inlineFlags.exec(source);
  try {
    return new RegExp(source.slice(flags?.[0].length ?? 0), [...new Set(`m${flags?.[1] ?? ''}`)].join(''));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message.split(': ').at(-1) : String(error);
    throw new LogPatternError(`invalid regex: ${reason}`);
  }
}

type MatchWithin = (pattern: RegExp, texts: readonly string[]) => readonly boolean[];

function createMatcher(): MatchWithin {
  const script = new Script('texts.map((text) => pattern.test(text))');
  const scope: { pattern?: RegExp; texts?: readonly string[] } = {};
  const context = createContext(scope);
  return (pattern, texts) => {
    scope.pattern = pattern;
    scope.texts = texts.map((text) => (text.length > maxTextLength ? text.slice(0, maxTextLength) : text));
    try {
      for (let attempt = 1; attempt <= maxAttempts; attempt++) {
        const before = process.threadCpuUsage();
        try {
          const found: unknown = script.runInContext(context, { timeout: boundMs });
          return Array.isArray(found) ? found.map(Boolean) : [];
        } catch (error) {
          if (!isTimeout(error)) throw error;
          if (millisecondsSince(before) > boundMs / 2) break;
        }
      }
      throw new LogPatternError(`invalid regex: matching took longer than ${boundMs} ms; use a simpler expression`);
    } finally {
      delete scope.texts;
    }
  };
}

function millisecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The error comes from the context's realm: it is no instance of this realm's Error. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
