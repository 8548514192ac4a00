// A terminal that understands nothing: what a program writes to it, one thing after the other, with ␛ for an escape and ␇ for
// a bell. Python holds the other end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface RawTerminal extends AsyncDisposable {
  /** Resolves when what was written after the last match has one; rejects with what there is after a while. */
  writes(pattern: RegExp): Promise<RegExpExecArray>;
  type(keys: string): void;
}

const patienceMilliseconds = 120_000;
const holdTerminal = 'import pty, sys; pty.spawn(sys.argv[1:])';

export function openRawTerminal(command: string, options: { cwd: string; env: NodeJS.ProcessEnv }): RawTerminal {
  const sized = `stty cols 120 rows 36; exec ${command}`;
  const holder = spawn('python3', ['-c', holdTerminal, 'sh', '-c', sized], {
    ...options,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = once(holder, 'exit');
  let written = '';
  const watchers = new Set<() => void>();
  holder.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text.replaceAll('\x1b', '␛').replaceAll('\x07', '␇');
    for (const watcher of watchers) watcher();
  });
  holder.stdin.on('error', () => {});
  return {
    writes: (pattern) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          watchers.delete(look);
          reject(new Error(`Nothing like ${pattern} was written:\n${JSON.stringify(written)}`));
        }, patienceMilliseconds);
        const look = (): void => {
          const found = pattern.exec(written);
          if (!found) return;
          clearTimeout(late);
          watchers.delete(look);
          written = written.slice(found.index + found[0].length);
          resolve(found);
        };
        watchers.add(look);
        look();
      }),
    type: (keys) => void holder.stdin.write(keys),
    async [Symbol.asyncDispose]() {
      holder.kill('SIGKILL');
      await gone;
    },
  };
}
