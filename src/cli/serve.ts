// `svc serve`: one line when it serves, a clean end on the first signal, an immediate one on the second.
import { startServer } from '../server/index.ts';
import { loadSettings } from '../settings/index.ts';
import { onStopSignal } from '../stopSignals.ts';

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

  onStopSignal(async () => {
    await server.stop().catch((error: unknown) => {
      process.stderr.write(`svc: could not stop cleanly: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    });
  });
}
