// What a scan has read, put together as the bytes of its version.
import type { Artifacts, ArtifactVersion } from '../../artifacts/index.ts';
import type { HeldRowGroup } from '../cache/rowGroupCache.ts';
import { type Asks, assembleStream } from '../engine.ts';
import type { ScanPlan } from './plan.ts';

export interface ScanStoring {
  readonly artifacts: Artifacts;
  readonly version: ArtifactVersion;
  /** Written in the commit that makes the version ready. */
  readonly name: string | null;
  readonly plan: ScanPlan;
  readonly held: readonly HeldRowGroup[];
  readonly rowCount: number;
}

export async function storeScan(
  { artifacts, version, name, plan, held, rowCount }: ScanStoring,
  reader: Asks,
  timeoutMs: number,
): Promise<ArtifactVersion> {
  const { staging, versions } = artifacts;
  const file = staging.place();
  try {
    const bytes = await assembleStream(
      reader,
      { schemaMessage: plan.schemaMessage, files: held.map((one) => one.file), target: file },
      { timeoutMs },
    );
    await versions.upload(version, { file, ...bytes });
  } catch (error) {
    await staging.discard({ file });
    throw error;
  }
  const { tenant, principal } = version;
  return versions.finalize(version, { schema: plan.schemaText, rowCount, name, actor: { tenant, principal } });
}
