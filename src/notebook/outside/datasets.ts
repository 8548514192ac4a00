// `@dataset`: a version of the registry as an input, by its name and, where the cell says so, an alias or a number. What was
// read is kept beside the notebook, so that a run does not depend on where the registry keeps its bytes.
import { createWriteStream, existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Artifacts, type ArtifactVersion, contentTypeOf, shortAddress } from '../../artifacts/index.ts';
import type { DatasetAnnotation } from '../annotations/index.ts';
import { CellRefused } from '../languages/index.ts';
import type { Found, OutsideReader } from './outside.ts';

export interface DatasetParts {
  /** Undefined on a server that keeps no registry. */
  readonly registry: Artifacts | undefined;
  /** Whose names are meant. */
  readonly tenant: string;
  readonly directory: string;
}

/** Values that are given as what they are; anything else is given as a path to its bytes. */
const readable = new Set(['arrow/ipc', 'json/object', 'pickle/object']);

export function datasetReader({ registry, tenant, directory }: DatasetParts): OutsideReader {
  async function versionOf(dataset: DatasetAnnotation, store: Artifacts): Promise<ArtifactVersion> {
    const { registryName, alias, version: number } = dataset;
    const named = await store.names.find(tenant, registryName);
    if (!named) throw refused(dataset, `${registryName} is not in the registry`);
    const aliased = alias === null ? named : await store.aliases.find(tenant, registryName, alias);
    if (!aliased) throw refused(dataset, `${registryName} has no alias ${alias}`);
    const address = number === null ? aliased : { id: named.id, version: number };
    const version = await store.versions.get(address);
    const isUsable = version?.state === 'ready' || version?.state === 'superseded';
    if (!version || !isUsable) throw refused(dataset, `${registryName} has no version ${address.version}`);
    return version;
  }

  /** The bytes as a file, copied once. */
  async function fileOf(dataset: DatasetAnnotation, store: Artifacts, version: ArtifactVersion): Promise<string> {
    const place = path.join(directory, '.svc/datasets', encodeURIComponent(shortAddress(version)).slice(0, 200));
    if (existsSync(place)) return place;
    const blob = await store.versions.open(version);
    if (!blob) throw refused(dataset, `the bytes of ${shortAddress(version)} are gone`);
    await fs.mkdir(path.dirname(place), { recursive: true });
    await pipeline(await blob.read(), createWriteStream(`${place}.part`));
    await fs.rename(`${place}.part`, place);
    return place;
  }

  async function find(dataset: DatasetAnnotation): Promise<Found> {
    if (!registry) throw refused(dataset, 'this server keeps no registry');
    const version = await versionOf(dataset, registry);
    const file = await fileOf(dataset, registry, version);
    const reference = referenceOf(dataset);
    return {
      name: dataset.variable,
      fingerprint: `${dataset.variable}:dataset:${reference}:${shortAddress(version)}`,
      input: { contentType: typeOf(version), file },
      lineage: { [`svc://name/${reference}`]: shortAddress(version) },
    };
  }

  return {
    asks: ({ annotations: { datasets } }) => (datasets.length === 0 ? null : JSON.stringify(datasets)),
    // The registry is this server's own database: asking it costs nobody anything.
    look: ({ annotations: { datasets } }) => Promise.all(datasets.map(find)),
  };
}

/** As a cell writes it. */
export const referenceOf = ({ registryName, alias, version }: DatasetAnnotation): string =>
  version !== null ? `${registryName}@v=${version}` : alias !== null ? `${registryName}@${alias}` : registryName;

function typeOf(version: ArtifactVersion): string {
  const type = contentTypeOf(version);
  return readable.has(type) ? type : 'file/path';
}

const refused = ({ variable }: DatasetAnnotation, reason: string): CellRefused =>
  new CellRefused('DatasetMissing', `@dataset ${variable}: ${reason}`);
