// The inputs of a build as files of Arrow streams, each at the version that was admitted.
import { stat } from 'node:fs/promises';
import { type Artifacts, type ArtifactVersion, recordedInputs, transformOf } from '../artifacts/index.ts';
import type { TableQueries } from '../tables/index.ts';
import { BuildProblem } from './build.ts';

export interface InputFiles {
  readonly files: readonly string[];
  readonly bytes: number;
  /** Removes what was made for them. */
  dispose(): Promise<void>;
}

export interface InputsParts {
  readonly artifacts: Artifacts;
  readonly queries: Pick<TableQueries, 'writeTable'>;
}

export type BringInputs = (
  version: ArtifactVersion,
  limits: { readonly pool: string; readonly maxBytes: number | null; readonly signal: AbortSignal },
) => Promise<InputFiles>;

export function createInputs({ artifacts: { versions, staging }, queries }: InputsParts): BringInputs {
  return async (version, { pool, maxBytes, signal }) => {
    const temporary: string[] = [];
    const dispose = async (): Promise<void> => {
      for (const file of temporary) await staging.discard({ file });
    };

    async function fileOf(uri: string): Promise<string> {
      const input = recorded.get(uri);
      if (!input) throw new BuildProblem('ValidationError', `The version of the input ${uri} was not recorded.`);
      if (!input.address) {
        const target = staging.place();
        temporary.push(target);
        await queries.writeTable({ uri, version: input.version, tenant: pool, target, signal });
        return target;
      }
      const found = await versions.get(input.address);
      const blob = found && (await versions.open(found));
      if (!blob) throw new BuildProblem('ValidationError', `Artifact blob not found: ${uri}`);
      if (blob.file !== undefined) return blob.file;
      const { file } = await staging.receive(await blob.read(), Number.POSITIVE_INFINITY);
      temporary.push(file);
      return file;
    }

    const recorded = new Map(recordedInputs(version.inputVersions).map((input) => [input.uri, input]));
    try {
      const files: string[] = [];
      let bytes = 0;
      for (const uri of transformOf(version.transformSpec).inputs) {
        const file = await fileOf(uri);
        files.push(file);
        bytes += (await stat(file)).size;
        if (maxBytes !== null && bytes > maxBytes)
          throw new BuildProblem(
            'ValueError',
            `The inputs take ${bytes} bytes, more than the ${maxBytes} that are allowed.`,
          );
      }
      return { files, bytes, dispose };
    } catch (error) {
      await dispose();
      throw error;
    }
  };
}
