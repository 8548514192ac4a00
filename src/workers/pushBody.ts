// A job as the multipart body that workers take: metadata first, then one part for each input, read from disk while it is
// sent. Folders travel as archives. The same inputs, with other names for their bytes, serve the signed transport.
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { extensionOf, filesIn, packTar } from '../bundle/index.ts';
import { type MultipartBody, multipartBody } from '../fetch/index.ts';
import type { NamedMount } from '../mounts/index.ts';
import type { InputFile, Job } from '../runtimes/index.ts';
import type { EnvironmentKind } from './environments.ts';

/** What a worker needs to know beside the job. */
export interface PushedFacts {
  readonly language: 'python' | 'r';
  readonly origin: 'notebook' | 'run';
  readonly provenanceHash: string;
  readonly notebookId: string;
  /** Names of folders that the cell writes to; the worker makes its own. */
  readonly outputDirs: readonly string[];
  readonly environment: object | null;
  /** In which environment the key of the result says that it ran; undefined until that is decided. */
  readonly environmentKind?: EnvironmentKind | undefined;
  /** Storage that the worker mounts by itself. */
  readonly mounts: readonly NamedMount[];
  readonly principal: string | null;
  readonly tenant: string | null;
}

export interface WireInput {
  readonly name: string;
  readonly format: string;
  /** What its part is called; empty for a value that has no bytes of its own. */
  readonly file: string;
  readonly place: string;
  readonly injected: readonly WireInput[];
  readonly variants: readonly WireInput[];
}

/** Inputs in the order of their names. `folder` takes the archives of folders. */
export async function wireInputs(job: Job, skip: readonly string[], folder: string): Promise<WireInput[]> {
  let count = 0;
  async function one(name: string, input: InputFile): Promise<WireInput> {
    const nested = {
      injected: await all(input.injected ?? {}),
      variants: await all(input.variants ?? {}),
    };
    if (input.variants) return { name, format: input.contentType, file: '', place: '', ...nested };
    const isFolder = input.contentType === 'file/path' && (await fs.stat(input.file)).isDirectory();
    const format = isFolder ? 'dir/tar' : input.contentType;
    const place = isFolder ? await archived(input.file, path.join(folder, `.folder-${count}.tar`)) : input.file;
    const plain = format === 'file/path' ? path.basename(input.file) : `${stemOf(name)}${extensionOf(format)}`;
    // Numbered where two parts would have the same name.
    return { name, format, file: count++ === 0 ? plain : `${count}-${plain}`, place, ...nested };
  }
  async function all(inputs: Readonly<Record<string, InputFile>>): Promise<WireInput[]> {
    const found: WireInput[] = [];
    for (const name of Object.keys(inputs).sort()) {
      const input = inputs[name];
      if (input) found.push(await one(name, input));
    }
    return found;
  }
  const sent = Object.fromEntries(Object.entries(job.inputs).filter(([name]) => !skip.includes(name)));
  return all(sent);
}

/** Names that differ only in case must not meet on disks that do not tell them apart. */
const stemOf = (name: string): string =>
  /[A-Z]/.test(name) ? `${name}-${createHash('sha256').update(name).digest('hex').slice(0, 8)}` : name;

async function archived(folder: string, file: string): Promise<string> {
  const files = await filesIn(folder);
  await fs.writeFile(file, packTar(files.map((one) => ({ name: one.path, content: path.join(folder, one.path) }))));
  return file;
}

export function paramsOf(job: Job, facts: PushedFacts): object {
  return {
    source: job.source,
    timeout_seconds: job.timeoutSeconds ?? 86_400,
    mounts: facts.mounts,
    env: job.env,
    ...(facts.language === 'r' ? { language: 'r' } : {}),
    ...(job.mutationDefines.length > 0 ? { mutation_defines: job.mutationDefines } : {}),
    ...(facts.environment ? { environment: facts.environment } : {}),
    ...(facts.environmentKind ? { environment_kind: facts.environmentKind } : {}),
    svc_job: {
      cell_id: job.cellId,
      wanted: job.wanted,
      codec: job.codec,
      until: job.untilExpr,
      tests: job.testSource,
      ...(job.localModules ? { local_modules: job.localModules } : {}),
      module_slices: Object.fromEntries(
        Object.entries(job.moduleSlices).map(([name, { moduleName, provenanceHash, ...slice }]) => [
          name,
          { ...slice, module_name: moduleName, provenance_hash: provenanceHash },
        ]),
      ),
    },
  };
}

const specOf = ({ format, file, injected, variants }: WireInput): object => ({
  content_type: format,
  ...(file === '' ? {} : { file }),
  ...nestedOf(injected, variants),
});

const nestedOf = (injected: readonly WireInput[], variants: readonly WireInput[]): object => ({
  ...(injected.length > 0 ? { injected: Object.fromEntries(injected.map((one) => [one.name, specOf(one)])) } : {}),
  ...(variants.length > 0 ? { variants: Object.fromEntries(variants.map((one) => [one.name, specOf(one)])) } : {}),
});

export async function pushBody(
  job: Job,
  facts: PushedFacts,
  buildId: string,
  inputs: readonly WireInput[],
): Promise<MultipartBody> {
  const files = await flattened(inputs);
  const metadata = {
    protocol_version: 'v1',
    build_id: buildId,
    tenant: facts.tenant,
    principal: facts.principal,
    origin: facts.origin,
    provenance_hash: facts.provenanceHash,
    transform: {
      ref: 'notebook_cell@v1',
      code_hash: createHash('sha256').update(job.source).digest('hex'),
      params: paramsOf(job, facts),
    },
    inputs: inputs.map(({ name, format, file, injected, variants }) => ({
      name,
      format,
      ...(file === '' ? {} : { file }),
      ...nestedOf(injected, variants),
    })),
  };
  return multipartBody(
    JSON.stringify(metadata),
    files.map(({ file, ...place }) => ({ name: file, filename: file, type: 'application/octet-stream', ...place })),
  );
}

export async function flattened(
  inputs: readonly WireInput[],
): Promise<{ file: string; place: string; size: number }[]> {
  const found: { file: string; place: string; size: number }[] = [];
  for (const { file, place, injected, variants } of inputs) {
    if (file !== '') found.push({ file, place, size: (await fs.stat(place)).size });
    found.push(...(await flattened(injected)), ...(await flattened(variants)));
  }
  return found;
}
