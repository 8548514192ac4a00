// `svc watch` and `svc-notebook-tui`: the terminal viewer.
import { loadSettings } from '../settings/index.ts';
import { UsageError } from './failure.ts';
import { serverHeaders } from './notebook/target.ts';

export interface WatchCommand {
  readonly directory?: string | undefined;
  readonly session?: string | undefined;
  readonly server?: string | undefined;
}

export async function watch({ directory, session, server }: WatchCommand): Promise<void> {
  if (directory !== undefined && session !== undefined) throw new UsageError('name a directory or a session, not both');
  const { settings } = loadSettings({ env: process.env, cwd: process.cwd() });
  const { createViewedServer, watchInTerminal, NothingToWatch, ServerAway, ServerRefused } = await import(
    '../viewer/index.ts'
  );
  const isSetup = (error: unknown): error is Error =>
    error instanceof NothingToWatch || error instanceof ServerAway || error instanceof ServerRefused;
  const viewed = createViewedServer(server ?? settings.tuiServer, serverHeaders());
  await watchInTerminal({ server: viewed, session, directory }).catch((error: unknown) => {
    throw isSetup(error) ? new UsageError(error.message) : error;
  });
}
