// A package that a cell misses, one press away: into the notebook's environment, or into its R library.
import { useState } from 'react';
import { type JobWish, messageOf, readEnvironment, startJob } from '../api/index.ts';
import { useModel, useNotebook } from '../notebook/context.ts';
import { jobEnd } from '../notebook/jobEnd.ts';
import { runAfterInstall } from '../notebook/running.ts';
import { isPreparing, type Problem } from '../state/index.ts';
import { Button } from '../ui/index.ts';

type Wanted = NonNullable<Problem['install']>;

interface InstallProps {
  readonly wanted: Wanted;
  readonly problem: Problem;
  readonly cellId: string;
}

export function Install({ wanted, problem, cellId }: InstallProps) {
  const session = useNotebook();
  const [state, setState] = useState<'offered' | 'installing' | { readonly problem: string }>('offered');
  /** The failure after which it was installed; the next one may lack another package. */
  const [installedFor, setInstalledFor] = useState<Problem | null>(null);
  const busy = useModel(isPreparing);

  async function install(): Promise<void> {
    setState('installing');
    try {
      for (const wish of await wishesFor(session.sessionId, wanted)) {
        const { environment_job: begun } = await startJob(session.sessionId, wish, false);
        const job = begun && (await jobEnd(session, begun.id));
        if (job?.status === 'failed') return setState({ problem: job.error ?? 'The installation failed.' });
      }
      setState('offered');
      setInstalledFor(problem);
      runAfterInstall(session, cellId);
    } catch (error) {
      setState({ problem: messageOf(error) });
    }
  }

  const packages = packagesOf(wanted);
  const names = inWords.format(packages);
  const isOne = packages.length === 1;
  if (installedFor === problem)
    return (
      <span className="quiet">
        {names} {isOne ? 'is' : 'are'} installed
      </span>
    );
  return (
    <>
      <Button look="primary" disabled={state === 'installing' || busy} onClick={() => void install()}>
        {state === 'installing' ? `Installing ${names} …` : `Install ${names}`}
      </Button>
      <span className="quiet">
        {typeof state === 'object'
          ? state.problem
          : `adds ${isOne ? 'it' : 'them'} to this notebook and runs the cell again`}
      </span>
    </>
  );
}

const packagesOf = ({ package: first, also = [] }: Wanted): readonly string[] => [first, ...also];
const inWords = new Intl.ListFormat('en-GB');

/** The R library of a notebook is made when the first package is wanted. */
async function wishesFor(sessionId: string, wanted: Wanted): Promise<readonly JobWish[]> {
  if (wanted.language === 'python') return [{ action: 'add', packages: packagesOf(wanted) }];
  const add: JobWish = { action: 'r_add', package: wanted.package };
  const { r_environment } = await readEnvironment(sessionId);
  return r_environment.has_lockfile ? [add] : [{ action: 'r_init' }, add];
}
