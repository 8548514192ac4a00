// What a worker is given to pull a cell: the cell itself, and a signed address for everything that it may do. A later manifest
// of the same cell has addresses alone.
import { createHash } from 'node:crypto';
import { bundleVersion } from '../bundle/index.ts';
import type { PresignedUpload } from '../objectStores/index.ts';
import { traceHeaders } from '../observability/index.ts';
import type { BuildManifestBody } from '../protocol/index.ts';
import type { Job } from '../runtimes/index.ts';
import { type PushedFacts, paramsOf, type WireInput } from './pushBody.ts';
import { type SignedOperation, type Signer, signedPath } from './signing.ts';

/** An input that has bytes of its own, by the name under which a worker asks for them. */
export interface NamedInput {
  readonly artifactId: string;
  readonly input: WireInput;
}

export interface ManifestParts {
  readonly id: string;
  readonly job: Job;
  readonly facts: PushedFacts;
  readonly inputs: readonly WireInput[];
  readonly named: readonly NamedInput[];
  readonly base: string;
  readonly signer: Signer;
  readonly maxBytes: number;
}

/** What differs from one manifest of a cell to the next. */
export interface Addressing {
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** Empty for the first one. */
  readonly lease: string;
  /** Where inputs and bundle go by addresses of the object store. */
  readonly places: { readonly inputs: readonly string[]; readonly output: PresignedUpload } | undefined;
}

export function cellManifest(parts: ManifestParts, addressing: Addressing): object {
  const { id, job, facts } = parts;
  const { metadata, ...addresses } = renewedManifest(parts, addressing);
  return {
    ...addresses,
    build_id: id,
    metadata: {
      ...metadata,
      params: { ...paramsOf(job, facts), ...sharedParams(parts) },
      principal: facts.principal,
      tenant: facts.tenant,
      notebook_id: facts.notebookId,
      cell_id: job.cellId,
      cell_provenance_hash: facts.provenanceHash,
      origin: facts.origin,
      ...traceHeaders(),
    },
  };
}

/** Whoever works on the cell has its source and its variables: a later manifest only says which they were. */
export function renewedManifest(parts: ManifestParts, { lease, places, ...times }: Addressing): BuildManifestBody {
  const { issuedAt, expiresAt } = times;
  const { id, job, facts, named, base, signer, maxBytes } = parts;
  const url = (op: SignedOperation, fields: Readonly<Record<string, string | number>> = {}): string => {
    const capability = { ...fields, op, build_id: id, expires_at: expiresAt };
    return `${base.replace(/\/$/, '')}${signedPath(capability, signer.sign(capability))}`;
  };
  const attempt = lease === '' ? {} : { attempt: lease };
  return {
    build_id: id,
    metadata: {
      build_id: id,
      artifact_id: `nb_remote_${facts.notebookId}_${id}`,
      version: 1,
      executor_ref: 'notebook_cell@v1',
      params: { ...sharedParams(parts), env: described(job.env) },
    },
    inputs: named.map(({ artifactId }, index) => ({
      url: places?.inputs[index] ?? url('download', { artifact_id: artifactId, version: 1 }),
      artifact_id: artifactId,
      version: 1,
      expires_at: expiresAt,
    })),
    output: {
      ...(places?.output ?? { url: url('upload', { max_bytes: maxBytes, ...attempt }), method: 'POST' }),
      max_bytes: maxBytes,
      expires_at: expiresAt,
    },
    finalize_url: url('finalize', { lease }),
    log_url: url('log'),
    output_file_url: url('output_file'),
    manifest_url: url('manifest'),
    issued_at: issuedAt,
  };
}

function sharedParams({ inputs, named }: ManifestParts) {
  const ids = new Map(named.map(({ artifactId, input }) => [input, artifactId]));
  const spec = (input: WireInput): object => ({
    ...(input.file === '' ? {} : { uri: `svc://artifact/${ids.get(input)}@v=1` }),
    content_type: input.format,
    ...(input.format === 'file/path' ? { file: input.file } : {}),
    ...(input.injected.length > 0 ? { injected: specs(input.injected) } : {}),
    ...(input.variants.length > 0 ? { variants: specs(input.variants) } : {}),
  });
  const specs = (inputs: readonly WireInput[]): object =>
    Object.fromEntries(inputs.map((input) => [input.name, spec(input)]));
  return { input_specs: specs(inputs), output_format: bundleVersion };
}

/** Variables hold secrets: their names, and a digest that tells others apart. */
function described(env: Job['env']): object {
  const entries = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
  const sha256 = createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(entries)))
    .digest('hex');
  return { names: entries.map(([name]) => name), sha256 };
}
