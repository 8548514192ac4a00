// The environments of the notebooks that are open. Sessions of one notebook share one: its jobs exclude each other and the
// cells of all of them, and each hears of what the others start.
import { type EnvironmentParts, openEnvironment } from './environment.ts';
import type { EnvironmentWatcher, NotebookEnvironment } from './notebookEnvironment.ts';

export interface Environments {
  /** Closing what it gives ends the job that runs only when nobody else has the notebook open. */
  open(directory: string, watcher: EnvironmentWatcher): Promise<NotebookEnvironment>;
}

export function createEnvironments(parts: Omit<EnvironmentParts, 'directory' | 'watchers'>): Environments {
  const open = new Map<string, { watchers: Set<EnvironmentWatcher>; environment: Promise<NotebookEnvironment> }>();
  const closing = new Map<string, Promise<void>>();

  async function end(directory: string, environment: NotebookEnvironment): Promise<void> {
    open.delete(directory);
    const ended = environment.close().finally(() => closing.delete(directory));
    closing.set(directory, ended);
    await ended;
  }

  return {
    async open(directory, watcher) {
      // What is being taken back must not meet what begins.
      await closing.get(directory);
      let shared = open.get(directory);
      if (!shared) {
        const watchers = new Set<EnvironmentWatcher>();
        shared = { watchers, environment: openEnvironment({ ...parts, directory, watchers }) };
        open.set(directory, shared);
      }
      const { watchers } = shared;
      watchers.add(watcher);
      try {
        const environment = await shared.environment;
        return {
          ...environment,
          async close() {
            if (watchers.delete(watcher) && watchers.size === 0) await end(directory, environment);
          },
        };
      } catch (error) {
        if (open.get(directory) === shared) open.delete(directory);
        throw error;
      }
    },
  };
}
