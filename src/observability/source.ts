/** Where in the source a record was written. Costs a stack walk of one frame: for warnings and above only. */
import { pathToFileURL } from 'node:url';
import { projectFolder } from '../places.ts';
import type { LogSource } from '../protocol/index.ts';

const projectRoot = `${pathToFileURL(projectFolder).href}/`;
const frame = /^\s*at (?:(?:async )?(.+?) \()?(?:(file:\/\/\S+?|\/\S+?|node:\S+?)):(\d+):\d+\)?$/;

/** The caller of `below`, which must be on the stack. */
export function callSite(below: (...args: never[]) => unknown): LogSource | undefined {
  const holder: { stack?: string } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  Error.captureStackTrace(holder, below);
  Error.stackTraceLimit = limit;
  return parseFrame(holder.stack?.split('\n')[1] ?? '');
}

export function parseFrame(line: string): LogSource | undefined {
  const match = frame.exec(line);
  if (!match) return undefined;
  const [, name = '<module>', file = '', row = '0'] = match;
  return {
    file: file.startsWith(projectRoot) ? file.slice(projectRoot.length) : file,
    line: Number(row),
    function: name,
  };
}
