// Which environment a cell on a worker runs in: the notebook's locked one or the worker's own. It is decided before the key
// of the result is made, which holds it, and the worker refuses the cell where it would be another.
import { RemoteFailure } from './failure.ts';
import type { Features } from './features.ts';
import type { RemoteWorker } from './spec.ts';

export type EnvironmentKind = 'locked' | 'own';

export interface WorkerEnvironments {
  /** Throws RemoteFailure where the worker cannot run the cell as its configuration asks. */
  kindFor(worker: RemoteWorker, cell: LockedCell): Promise<EnvironmentKind>;
  /** What of it enters the key of a result; undefined when the worker could not be asked. */
  identityFor(worker: RemoteWorker, cell: LockedCell): Promise<string | undefined>;
}

export interface LockedCell {
  readonly language: 'python' | 'r';
  /** Whether its notebook has a lock for the language. */
  readonly isLocked: boolean;
}

/** What an operator installs is noticed by the next cell that is not run right after another. */
const keptMilliseconds = 5000;

export function createWorkerEnvironments(features: Features): WorkerEnvironments {
  async function kindFor(worker: RemoteWorker, { language, isLocked }: LockedCell): Promise<EnvironmentKind> {
    const { name, environment: mode } = worker;
    if (mode === 'own') return 'own';
    if (!isLocked) {
      if (mode === 'auto') return 'own';
      throw new RemoteFailure(
        'SETUP_FAILED',
        `The worker ${name} is to run cells in the notebook's locked environment, and the notebook has no ${language === 'r' ? 'renv.lock' : 'uv.lock'}. Make one by adding a package, or set environment = "auto" for the worker.`,
      );
    }
    const has = await features.has(worker, language === 'r' ? 'locked_r_environments' : 'locked_environments');
    if (has === undefined)
      throw new RemoteFailure(
        'REQUEST_FAILED',
        `The worker ${name} could not be asked whether it installs environments: ${features.whyNot(worker)}.`,
      );
    if (has) return 'locked';
    if (mode === 'auto') return 'own';
    throw new RemoteFailure(
      'SETUP_FAILED',
      `The worker ${name} installs no locked environments: it lacks ${language === 'r' ? 'renv' : 'uv'}, or was started with --environment own. Change that there, or set environment = "auto" or "own" for the worker.`,
    );
  }

  return {
    kindFor,
    async identityFor(worker, cell) {
      const facts = await features.facts(worker, { keptMilliseconds });
      if (!facts) return undefined;
      const kind = await kindFor(worker, cell).catch((error: unknown) => {
        if (error instanceof RemoteFailure) return error.code;
        throw error;
      });
      if (kind !== 'own' || cell.language !== 'python' || !facts.own) return kind;
      return `own:${facts.own.python}:${facts.own.digest}`;
    },
  };
}
