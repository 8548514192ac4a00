// A real terminal: a program in a tmux of its own. What the screen shows is waited for, never slept for: tmux tells when the
// program has written.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export interface TestTerminal extends Disposable {
  /** What stands on the screen. */
  screen(): string;
  /** Resolves when the screen fits; rejects with what it shows after a while. */
  shows(pattern: RegExp): Promise<void>;
  /** Keys by their tmux names, such as `Down`, `Escape` or `q`. */
  press(...keys: string[]): void;
  resize(columns: number, rows: number): void;
  /** A property by its tmux name, such as `alternate_on`, `cursor_flag` or `pane_pid`. */
  read(name: string): string;
}

const patienceMilliseconds = 120_000;

export function openTerminal(command: string, options: { cwd: string; env: NodeJS.ProcessEnv }): TestTerminal {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-tmux-'));
  const socket = path.join(folder, 'socket');
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-u', '-S', socket, ...args], { encoding: 'utf8', env: options.env });
  const configuration = path.join(folder, 'tmux.conf');
  // Escape is a key of the viewer: it must not wait for more to come.
  fs.writeFileSync(configuration, 'set -sg escape-time 0\n');
  const size = ['-x', '120', '-y', '36'];
  tmux('-f', configuration, 'new-session', '-d', '-s', 'test', ...size, '-c', options.cwd, command);
  // A client that only listens: it prints a line for everything that the program writes.
  const listener = spawn('tmux', ['-S', socket, '-C', 'attach', '-f', 'ignore-size', '-t', 'test'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const watchers = new Set<() => void>();
  listener.stdout.on('data', () => {
    for (const watcher of watchers) watcher();
  });
  const screen = (): string => tmux('capture-pane', '-p', '-t', 'test');
  return {
    screen,
    shows(pattern) {
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          watchers.delete(look);
          reject(new Error(`The screen does not show ${pattern}:\n${screen()}`));
        }, patienceMilliseconds);
        const look = (): void => {
          if (!pattern.test(screen())) return;
          clearTimeout(late);
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      });
    },
    press: (...keys) => void tmux('send-keys', '-t', 'test', ...keys),
    resize: (columns, rows) => void tmux('resize-window', '-t', 'test', '-x', String(columns), '-y', String(rows)),
    read: (name) => tmux('display-message', '-p', '-t', 'test', `#{${name}}`).trim(),
    [Symbol.dispose]() {
      listener.kill();
      tmux('kill-server');
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
