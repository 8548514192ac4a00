// Every way in which asking a Python process can fail, and what to do about it. Callers tell them apart by `code` or
// by class; nothing else leaves this room, except the reason of a caller's own AbortSignal.

export type EngineErrorCode =
  | 'engine_unavailable'
  | 'engine_timeout'
  | 'engine_crashed'
  | 'engine_refused'
  | 'engine_misanswered';

export abstract class EngineError extends Error {
  abstract readonly code: EngineErrorCode;
  readonly engine: string;

  constructor(engine: string, message: string) {
    super(message);
    this.name = new.target.name;
    this.engine = engine;
  }
}

/** The process does not start, or the engine was closed. */
export class EngineUnavailable extends EngineError {
  readonly code = 'engine_unavailable';
}

/** The process took longer than the request allowed; it was ended and the request with it. */
export class EngineTimeout extends EngineError {
  readonly code = 'engine_timeout';
}

/** The process died at work on this request. */
export class EngineCrashed extends EngineError {
  readonly code = 'engine_crashed';
}

/** The operation raised, or the request could not be sent. `type` is the Python exception's class name. */
export class EngineRefused extends EngineError {
  readonly code = 'engine_refused';
  readonly type: string;
  /** What the operation said, without the words around it. */
  readonly reason: string;

  constructor(engine: string, type: string, reason: string, message: string) {
    super(engine, message);
    this.type = type;
    this.reason = reason;
  }
}

/** The answer does not have the shape that was asked for. */
export class EngineMisanswered extends EngineError {
  readonly code = 'engine_misanswered';
}

export interface StartFailure {
  readonly attempts: number;
  readonly command: string;
  readonly reason: string;
  readonly lastLines: readonly string[];
}

export function doesNotStart(engine: string, failure: StartFailure): EngineUnavailable {
  const wrote = failure.lastLines.length > 0 ? ` It last wrote:\n${failure.lastLines.join('\n')}\n` : ' ';
  return new EngineUnavailable(
    engine,
    `The ${engine} process does not start: ${failure.reason} (tried ${failure.attempts} times).${wrote}` +
      `Run \`${failure.command}\` by hand to see the problem; once it is solved the next request starts it again.`,
  );
}

export function isClosed(engine: string): EngineUnavailable {
  return new EngineUnavailable(engine, `The ${engine} process was closed; open a new engine to ask again.`);
}

export function tookTooLong(engine: string, op: string, timeoutMs: number): EngineTimeout {
  return new EngineTimeout(
    engine,
    `The ${engine} process did not finish ${op} within ${timeoutMs} ms and was ended. ` +
      'Ask for less at once, or allow the request more time.',
  );
}

export function diedAtWork(engine: string, op: string, ending: string): EngineCrashed {
  return new EngineCrashed(
    engine,
    `The ${engine} process died during ${op}: ${ending}. A fresh one takes over, but the same request would probably ` +
      'end it again: change the request, and look at the log and at the free memory of the machine.',
  );
}

export function wasRefused(engine: string, op: string, type: string, message: string): EngineRefused {
  return new EngineRefused(
    engine,
    type,
    message,
    `The ${engine} process refused ${op}: ${type}: ${message}. Solve this, then repeat the request.`,
  );
}

export function answeredOtherwise(engine: string, op: string, difference: string): EngineMisanswered {
  return new EngineMisanswered(
    engine,
    `The ${engine} process answered ${op} in an unexpected shape: ${difference}. ` +
      'Server and python/svc_engine must be of one version: install both again.',
  );
}
