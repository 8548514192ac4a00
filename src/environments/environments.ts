// The environments of the notebooks that are open. Sessions of one notebook share one: its jobs exclude each other and the
// cells of all of them, and each hears of what the others start.
import {
  type EnvironmentParts,
  type EnvironmentWatcher,
  type NotebookEnvironment,
  openEnvironment,
} from './environment.ts';

export interface Environments {
  /** Closing what it gives ends the job that runs only when nobody else has the notebook open. */
  open(directory: string, watcher: EnvironmentWatcher): Promise<NotebookEnvironment>;
}

export function createEnvironments(parts: Omit<EnvironmentParts, 'directory' | 'watchers'>): Environments {
  const open = new Map<string, { watchers: Set<EnvironmentWatcher>; environment: Promise<NotebookEnvironment> }>();
  return {
    async open(directory, watcher) {
      let shared = open.get(directory);
      if (!shared) {
        const watchers = new Set<EnvironmentWatcher>();
        shared = { watchers, environment: openEnvironment({ ...parts, directory, watchers }) };
        open.set(directory, shared);
      }
      const { watchers } = shared;
      watchers.add(watcher);
      const leave = (): void => {
        watchers.delete(watcher);
        if (watchers.size === 0 && open.get(directory)?.watchers === watchers) open.delete(directory);
      };
      try {
        const environment = await shared.environment;
        return {
          ...environment,
          async close() {
            if (watchers.size === 1 && watchers.has(watcher)) await environment.close();
            leave();
          },
        };
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}
