// Remarks on Python source, and its format, by ruff: a program that reads the text alone, and no settings of any folder.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

export interface Remark {
  readonly code: string;
  readonly message: string;
  /** Offsets in UTF-16 units. */
  readonly from: number;
  readonly to: number;
}

export interface Ruff {
  /** `known`: names that come from elsewhere. Undefined for a text that is not Python, or takes too long. */
  check(source: string, known: Iterable<string>, signal: AbortSignal): Promise<readonly Remark[] | undefined>;
  /** Undefined for a text that is not Python. */
  format(source: string, signal: AbortSignal): Promise<string | undefined>;
}

/** What is wrong or has no effect; nothing about taste. */
const rules = 'F,PLE,W605,B006,B023';
/** A cell may wait at its top level, and take all names of a module. */
const allowed = 'F403,F405,F704,F706,PLE1142';
const longestMilliseconds = 5000;
/** Linux takes 128 KiB in one argument. */
const longestArgument = 100_000;

const alone = ['--isolated', '--no-cache', '--quiet', '--stdin-filename', 'cell.py'];

const place = z.object({ row: z.int(), column: z.int() });
const findings = z.array(
  z.object({ code: z.string().nullable(), message: z.string(), location: place, end_location: place }),
);

export function createRuff(program: string): Ruff {
  async function ask(args: readonly string[], source: string, signal: AbortSignal) {
    const ending = AbortSignal.any([signal, AbortSignal.timeout(longestMilliseconds)]);
    const child = spawn(program, [...args, ...alone, '-'], {
      env: {},
      stdio: ['pipe', 'pipe', 'ignore'],
      signal: ending,
    });
    const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
    child.stdin.on('error', () => {}); // it may have ended before it has read everything
    child.stdin.end(source);
    try {
      const [answer, code] = await Promise.all([text(child.stdout), ended]);
      return { answer, code };
    } catch (error) {
      if (signal.aborted || !ending.aborted) throw error;
      return { answer: '', code: null }; // it took too long: nobody waits for a remark
    }
  }

  return {
    async check(source, known, signal) {
      const written = new Set(source.match(/[\p{L}\p{N}_]+/gu));
      const names = JSON.stringify([...known].filter((name) => written.has(name)));
      if (names.length > longestArgument) return undefined;
      const args = ['check', '--output-format', 'json', '--select', rules, '--ignore', allowed];
      const { answer, code: status } = await ask([...args, '--config', `builtins=${names}`], source, signal);
      // 1: there are findings.
      if (status !== 0 && status !== 1) return undefined;
      const found = findings.parse(JSON.parse(answer));
      if (found.some(({ code }) => code === null || code === 'invalid-syntax')) return undefined;
      const offset = offsetsIn(source);
      return found.map(({ code, message, location, end_location }) => ({
        code: code ?? '',
        message,
        from: offset(location),
        to: offset(end_location),
      }));
    },
    async format(source, signal) {
      const { answer, code } = await ask(['format'], source, signal);
      return code === 0 ? answer : undefined;
    },
  };
}

/** Rows and columns count from 1, columns in characters. */
function offsetsIn(source: string): (place: { row: number; column: number }) => number {
  const lines = source.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
  const begins = [0];
  for (const line of lines) begins.push((begins.at(-1) ?? 0) + line.length);
  return ({ row, column }) => {
    const begin = begins[row - 1] ?? source.length;
    const before = [...(lines[row - 1] ?? '')].slice(0, column - 1).join('');
    return begin + before.length;
  };
}
