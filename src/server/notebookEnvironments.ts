// What environments of notebooks are made with: the interpreters of this machine, uv, R, and a folder that several may share.
import { engineIsReady } from '../../scripts/setup/engine.js';
import { engineEnvironment } from '../../scripts/setup/places.js';
import { findUv } from '../../scripts/setup/uv.js';
import type { EnginePreparation } from '../engine/index.ts';
import {
  collectEnvironments,
  createEnvironments,
  createOwnBackend,
  createPackageLender,
  createPythons,
  createRTools,
  createSharedBackend,
  createSharedLibraries,
  type Environments,
  type FindPythons,
  type RTools,
} from '../environments/index.ts';
import { findProgram } from '../files/index.ts';
import type { Log } from '../observability/index.ts';
import type { Settings } from '../settings/index.ts';

export interface NotebookEnvironments {
  readonly environments: Environments;
  readonly r: RTools;
  readonly rscript: () => string | undefined;
  /** Those that notebooks may choose. */
  readonly pythons: FindPythons;
  /** Looks for interpreters while nobody has asked yet. */
  keepPythonsFresh(): void;
  close(): void;
}

const collectMilliseconds = 3_600_000;

export function createNotebookEnvironments(
  settings: Settings,
  engine: EnginePreparation,
  log: Log,
): NotebookEnvironments {
  const isPersonal = settings.deploymentMode === 'personal';
  const cellsRunAsOther = settings.notebookHarnessUser !== null;
  const installed = createPythons({ uv: findUv });
  const allowed = settings.notebookPythonVersions ?? [];
  const isOffered = (version: string): boolean => allowed.length === 0 || allowed.includes(version);

  const pythons: FindPythons = async (wanted = () => true) => {
    const found = await installed.find((python) => isOffered(python.version) && wanted(python));
    return found.filter(({ version }) => isOffered(version));
  };

  // Building a package runs its code, as the server.
  const uv = { program: () => uvProgram(engine), mayBuild: isPersonal && !cellsRunAsOther };
  const sharedFolder = settings.notebookEnvBackend === 'shared' ? settings.notebookSharedEnvDir : null;
  const rscript = () => findProgram('Rscript');
  const r = createRTools({
    rscript,
    installsNothing: cellsRunAsOther ? 'harness user' : isPersonal ? null : 'service',
    shared: sharedFolder === null ? null : createSharedLibraries(sharedFolder),
  });
  const environments = createEnvironments({
    backend: sharedFolder === null ? createOwnBackend(uv) : createSharedBackend(uv, sharedFolder),
    r,
    mayUseAddresses: isPersonal,
    pythons,
    lender: createPackageLender(async () => ((await engineIsReady()) ? engineEnvironment : undefined)),
    log,
  });

  const collector = setInterval(() => {
    if (sharedFolder === null) return;
    collectEnvironments(sharedFolder, settings.notebookSharedEnvTtlDays).catch((error: unknown) =>
      log.warning('Shared environments could not be collected', { error }),
    );
  }, collectMilliseconds).unref();

  return {
    environments,
    r,
    rscript,
    pythons,
    keepPythonsFresh: installed.keepFresh,
    close() {
      clearInterval(collector);
      installed.close();
    },
  };
}

async function uvProgram(engine: EnginePreparation): Promise<string> {
  // The engine's preparation brings uv along where the machine has none.
  if (findUv() === undefined) await engine.settled();
  const found = findUv();
  if (found === undefined)
    throw new Error('uv is not installed and could not be: notebooks need it for their environments.');
  return found;
}
