// What a cell asks, asked in the terminal: a line, a password that is not shown, commands of its debugger.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Answer, Ask, Question } from '../../runtimes/index.ts';

/** Undefined where nobody sits: standard input or output is no terminal. */
export function terminalAsk(): Ask | undefined {
  return process.stdin.isTTY && process.stderr.isTTY ? askHere : undefined;
}

/** Questions go to standard error: what is printed may be a report. */
function askHere(question: Question, signal: AbortSignal): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = question.kind === 'secret' ? silent : process.stderr;
  const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  const end = (answer: Answer): void => {
    signal.removeEventListener('abort', cancel);
    lines.close();
    if (question.kind === 'secret') process.stderr.write('\n');
    resolve(answer);
  };
  const cancel = (): void => end({ unanswered: 'cancelled' });
  lines.once('line', (text) => end({ text }));
  lines.once('SIGINT', cancel);
  signal.addEventListener('abort', cancel);
  // From now on the terminal itself shows nothing of what is typed.
  process.stderr.write(textOf(question));
  // A prompt that readline knows of survives what it draws.
  lines.setPrompt(textOf(question).split('\n').at(-1) ?? '');
  return promise;
}

function textOf(question: Question): string {
  if (question.kind !== 'debug') return question.prompt;
  const { frames, at, said } = question;
  const frame = frames.find((one) => one.at === at);
  const place = frame ? `line ${frame.line} in ${frame.function}: ${frame.text}\n` : '';
  return `${said === '' ? place : said}(Pdb) `;
}
