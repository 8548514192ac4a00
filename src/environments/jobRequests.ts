// From what a client asks for to what a job does. Whatever could not succeed is refused here, before anything is touched.
import { refusals } from '../errors/index.ts';
import {
  type ImportedList,
  readEnvironmentYaml,
  readRequirements,
  takeEnvironmentYaml,
  takeRequirements,
} from './importFiles.ts';
import type { EnvironmentAction } from './jobs.ts';
import type { JobRequest } from './operations.ts';
import { dependencyOf, runtimeRequirements } from './projectFile.ts';
import { isRPackageName, type RTools, rMissing } from './renv.ts';
import { canonicalName, isPackageName, parseRequirement, RequirementError } from './requirement.ts';

export interface AskedJob {
  readonly action: EnvironmentAction;
  readonly package: string | null;
  /** Several to add at once, instead of one. */
  readonly packages: readonly string[] | null;
  readonly requirements: string | null;
  readonly environment_yaml: string | null;
  /** What of the list cannot be read is left out and named, instead of refusing it all. */
  readonly take_readable: boolean;
}

export async function readJobRequest(asked: AskedJob, directory: string, r: RTools): Promise<JobRequest> {
  const { action, requirements, environment_yaml, take_readable } = asked;
  const hasText = requirements !== null || environment_yaml !== null;
  const refuse = refusals.environmentRequest;
  if (asked.packages !== null && (action !== 'add' || asked.package !== null || asked.packages.length === 0))
    throw refuse('packages names what an add job adds, instead of package');
  switch (action) {
    case 'add':
      if (hasText) throw refuse('Add environment jobs do not accept import content');
      return addRequest(...(asked.packages ?? [packageOf(asked)]));
    case 'remove':
      if (hasText) throw refuse('Remove environment jobs do not accept import content');
      return removeRequest(packageOf(asked));
    case 'sync':
      if (hasText || asked.package !== null)
        throw refuse('Sync environment jobs do not accept package or import content');
      return { action };
    case 'import':
      if (asked.package !== null || (requirements === null) === (environment_yaml === null))
        throw refuse('Import environment jobs need either requirements or environment_yaml, and no package');
      return { action, list: await readList({ requirements, environment_yaml, take_readable }) };
    case 'change_python':
      throw refuse('change_python jobs require python_version; use PUT python-version');
    case 'r_init':
      if (hasText || asked.package !== null) throw refuse('R setup jobs do not accept package or import content');
      await assertInstalls(r);
      return { action };
    case 'r_add': {
      const name = packageOf(asked);
      if (!isRPackageName(name)) throw refuse(`${JSON.stringify(name)} is not the name of an R package`);
      await assertInstalls(r);
      if (!(await r.isInitialised(directory)))
        throw refuse('renv is not set up for this notebook; start an r_init job first');
      return { action, name };
    }
  }
}

export function addRequest(...requirements: readonly string[]): JobRequest {
  const parsed = requirements.map((requirement) => inWords(() => parseRequirement(requirement)));
  return {
    action: 'add',
    requirements: parsed.map(({ text }) => text),
    hasAddress: parsed.some(({ hasAddress }) => hasAddress),
  };
}

export function removeRequest(name: string): JobRequest {
  if (!isPackageName(name))
    throw refusals.environmentRequest(`${JSON.stringify(name.slice(0, 80))} is not the name of a package`);
  if (runtimeRequirements.some((text) => dependencyOf(text).name === canonicalName(name)))
    throw refusals.environmentRequest(`${name} is needed to run cells and cannot be removed`);
  return { action: 'remove', name };
}

/** A list from exactly one of the two texts. */
export async function readList({
  requirements,
  environment_yaml,
  take_readable,
}: Pick<AskedJob, 'requirements' | 'environment_yaml' | 'take_readable'>): Promise<ImportedList> {
  try {
    if (requirements !== null) return take_readable ? takeRequirements(requirements) : readRequirements(requirements);
    return await (take_readable ? takeEnvironmentYaml : readEnvironmentYaml)(environment_yaml ?? '');
  } catch (error) {
    throw error instanceof RequirementError ? refusals.environmentRequest(error.message) : error;
  }
}

function packageOf({ action, package: name }: AskedJob): string {
  const wanted = name?.trim() ?? '';
  if (wanted === '') throw refusals.environmentRequest(`Package is required for ${action} environment jobs`);
  return wanted;
}

async function assertInstalls(r: RTools): Promise<void> {
  if (r.noInstalling !== null) throw refusals.environmentRequest(r.noInstalling);
  if (!(await r.isThere())) throw refusals.environmentRequest(rMissing);
}

function inWords<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof RequirementError ? refusals.environmentRequest(error.message) : error;
  }
}
