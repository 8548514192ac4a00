// How notebook commands answer: JSON on stdout for programs, lines for people.
import { UsageError } from '../failure.ts';
import { printJson } from '../print.ts';
import { openTarget, type Target, type TargetOptions } from './target.ts';

export interface AnswerOptions extends TargetOptions {
  readonly format?: string | undefined;
}

/** What a command found, and how it reads to people; `failed` ends the program with 1. */
export interface Answer {
  readonly json: unknown;
  readonly lines: readonly string[];
  readonly failed?: boolean;
}

export async function onTarget(
  directory: string | undefined,
  options: AnswerOptions,
  work: (target: Target) => Promise<Answer>,
): Promise<void> {
  const target = await openTarget(directory, options);
  try {
    await answer(options, () => work(target));
  } finally {
    await target.close();
  }
}

export async function answer({ format = 'json' }: AnswerOptions, work: () => Promise<Answer>): Promise<void> {
  checkFormat(format);
  const { json, lines, failed = false } = await work();
  if (format === 'json') printJson(json);
  else for (const line of lines) process.stdout.write(`${line}\n`);
  if (failed) process.exitCode = 1;
}

export function checkFormat(format: string): void {
  if (format !== 'json' && format !== 'human') throw new UsageError('--format: human or json');
}

/** Colours only where somebody looks. */
const isTerminal = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;
const paint =
  (code: number) =>
  (text: string): string =>
    isTerminal ? `\u001b[${code}m${text}\u001b[0m` : text;
export const green = paint(32);
export const red = paint(31);
export const yellow = paint(33);
export const dim = paint(2);
