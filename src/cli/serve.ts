// `svc serve`: one line when it serves, a clean end on the first signal, an immediate one on the second.
import os from 'node:os';
import { startServer } from '../server/index.ts';
import { loadSettings } from '../settings/index.ts';

export interface ServeOptions {
  readonly notebookDir?: string;
  readonly host?: string;
  readonly port?: string;
}

export async function serve({ notebookDir, host, port }: ServeOptions): Promise<void> {
  // A flag is another way to write a setting, and is read and checked as that.
  const env = {
    ...process.env,
    ...(notebookDir === undefined ? {} : { SVC_NOTEBOOK_STORAGE_DIR: notebookDir }),
    ...(host === undefined ? {} : { SVC_HOST: host }),
    ...(port === undefined ? {} : { SVC_PORT: port }),
  };
  const { settings, warnings } = loadSettings({ env, cwd: process.cwd() });
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  const server = await startServer(settings);
  process.stdout.write(`svc serves on ${server.address} · notebooks in ${settings.notebookStorageDir}\n`);

  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(128 + os.constants.signals[signal]);
    stopping = true;
    server.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(
          `svc: could not stop cleanly: ${error instanceof Error ? error.message : String(error)}\n`,
        );
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
}
