// What an executor that pulls is given: the transform, and an address for everything that it may do, each signed.
import type { ArtifactVersion } from '../artifacts/index.ts';
import type { PresignedUpload } from '../objectStores/index.ts';
import { traceHeaders } from '../observability/index.ts';
import type { BuildManifestBody } from '../protocol/index.ts';
import { type Capability, type SignedOperation, type Signer, signedPath } from '../workers/index.ts';
import type { Build } from './build.ts';
import { exactParams } from './remote.ts';

export interface ManifestParts {
  readonly build: Build;
  readonly version: ArtifactVersion;
  readonly inputs: readonly ArtifactVersion[];
  readonly base: string;
  readonly signer: Signer;
  readonly expiresAt: number;
  readonly maxBytes: number;
  readonly attempt: string;
  readonly lease: string;
  /** Where inputs and result go by addresses of the object store. */
  readonly places: { readonly inputs: readonly string[]; readonly output: PresignedUpload } | undefined;
}

export function manifestOf({ build, version, inputs, base, signer, ...facts }: ManifestParts): BuildManifestBody {
  const { expiresAt, maxBytes, attempt, lease, places } = facts;
  const { id } = build;

  function address(op: SignedOperation, fields: Readonly<Record<string, string | number>> = {}): string {
    const capability: Capability = { ...fields, op, build_id: id, expires_at: expiresAt };
    return `${base}${signedPath(capability, signer.sign(capability))}`;
  }

  return {
    build_id: id,
    metadata: {
      build_id: id,
      artifact_id: version.id,
      version: version.version,
      executor_ref: build.executor,
      params: exactParams(version.transformSpec ?? '{}'),
      ...traceHeaders(),
    },
    inputs: inputs.map(({ id: artifact_id, version: number }, index) => ({
      url: places?.inputs[index] ?? address('download', { artifact_id, version: number }),
      artifact_id,
      version: number,
      expires_at: expiresAt,
    })),
    output: {
      ...(places?.output ?? { url: address('upload', { max_bytes: maxBytes, attempt }), method: 'POST' as const }),
      max_bytes: maxBytes,
      expires_at: expiresAt,
    },
    finalize_url: address('finalize', { lease }),
    log_url: address('log'),
    output_file_url: address('output_file'),
  };
}
