// What an operator chose about environments, judged before the worker serves.
import { cellEnvironment } from '../runtimes/environment.ts';
import { SettingsError, type WorkerSettings } from '../settings/index.ts';

type Checked = Pick<
  WorkerSettings,
  'workerPython' | 'workerEnvironment' | 'workerEnvRegistryUrl' | 'notebookHarnessEnvAllowlist'
>;

/** Throws what the operator has to mend before any cell can run. */
export async function checkEnvironments(settings: Checked, uv: string | undefined): Promise<void> {
  const { workerPython: python, workerEnvironment: mode, workerEnvRegistryUrl: registry } = settings;
  const problems: string[] = [];
  if (python !== null) {
    const { pythonProblem } = await import('./ownPython.ts');
    const policy = { variables: process.env, allowlist: settings.notebookHarnessEnvAllowlist };
    const problem = await pythonProblem(python, cellEnvironment(policy));
    if (problem !== undefined)
      problems.push(`--python: ${problem}; name a Python 3.10 or newer (SVC_WORKER_PYTHON), or leave it out`);
  }
  if (mode === 'locked' && uv === undefined && registry === null)
    problems.push(
      '--environment locked: uv is not on the path of this worker, and no registry of environments is set; install uv, set SVC_WORKER_ENV_REGISTRY_URL, or start with --environment auto',
    );
  if (problems.length > 0) throw new SettingsError(problems);
}
