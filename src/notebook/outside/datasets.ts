// `@dataset`: a version of the registry as an input, by its name and, where the cell says so, an alias or a number. What was
// read is kept beside the notebook, so that a run does not depend on where the registry keeps its bytes.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { type ArtifactAddress, type NameSource, shortAddress } from '../../artifacts/index.ts';
import { Refusal } from '../../errors/index.ts';
import type { DatasetAnnotation } from '../annotations/index.ts';
import { CellRefused } from '../languages/index.ts';
import type { Found, OutsideReader } from './outside.ts';

export interface DatasetParts {
  /** As whose run it is sees it; undefined on a server that keeps no registry. */
  readonly registry: () => NameSource | undefined;
  readonly directory: string;
}

/** Values that are given as what they are; anything else is given as a path to its bytes. */
const readable = new Set(['arrow/ipc', 'json/object', 'pickle/object']);

interface Resolved {
  readonly address: ArtifactAddress;
  readonly contentType: string;
}

export function datasetReader({ registry, directory }: DatasetParts): OutsideReader {
  function sourceFor(dataset: DatasetAnnotation): NameSource {
    const source = registry();
    if (!source) throw refused(dataset, 'this server keeps no registry');
    return source;
  }

  async function resolve(dataset: DatasetAnnotation, source: NameSource): Promise<Resolved> {
    const { registryName, alias, version: number } = dataset;
    const named = await source.find(registryName, null);
    if (!named) throw refused(dataset, `${registryName} is not in the registry`);
    const aliased = alias === null ? named : await source.find(registryName, alias);
    if (!aliased) throw refused(dataset, `${registryName} has no alias ${alias}`);
    const { id, version } = number === null ? aliased : { id: named.id, version: number };
    const found = await source.version({ id, version });
    if (found?.state !== 'ready' && found?.state !== 'superseded')
      throw refused(dataset, `${registryName} has no version ${version}`);
    return { address: { id, version }, contentType: found.contentType };
  }

  /** The bytes as a file, copied once. */
  async function fileOf(dataset: DatasetAnnotation, source: NameSource, address: ArtifactAddress): Promise<string> {
    const place = path.join(directory, '.svc/datasets', encodeURIComponent(shortAddress(address)).slice(0, 200));
    if (existsSync(place)) return place;
    await fs.mkdir(path.dirname(place), { recursive: true });
    const part = `${place}.${randomUUID()}.part`;
    try {
      if (!(await source.save(address, part))) throw refused(dataset, `the bytes of ${shortAddress(address)} are gone`);
      await fs.rename(part, place);
    } finally {
      await fs.rm(part, { force: true });
    }
    return place;
  }

  async function find(dataset: DatasetAnnotation): Promise<Found> {
    const source = sourceFor(dataset);
    const { address, contentType } = await resolve(dataset, source);
    const file = await fileOf(dataset, source, address);
    return {
      ...named(dataset, address),
      input: { contentType: readable.has(contentType) ? contentType : 'file/path', file },
      lineage: { [`svc://name/${referenceOf(dataset)}`]: shortAddress(address) },
    };
  }

  async function weighed(dataset: DatasetAnnotation): Promise<Found> {
    return named(dataset, (await resolve(dataset, sourceFor(dataset))).address);
  }

  /** A store that cannot be asked is a reason not to run, told as one. */
  const findOrRefuse = (dataset: DatasetAnnotation): Promise<Found> =>
    find(dataset).catch((error: unknown) => {
      throw error instanceof Refusal ? refused(dataset, String(error.detail)) : error;
    });

  return {
    asks: ({ annotations: { datasets } }) => (datasets.length === 0 ? null : JSON.stringify(datasets)),
    // This server's own registry costs nobody anything to ask.
    look: async ({ annotations: { datasets } }, { mayAsk }) =>
      registry()?.isFar && !mayAsk && datasets.length > 0 ? undefined : Promise.all(datasets.map(findOrRefuse)),
    weigh: ({ annotations: { datasets } }) => Promise.all(datasets.map(weighed)),
  };
}

const named = (dataset: DatasetAnnotation, address: ArtifactAddress): Pick<Found, 'name' | 'fingerprint'> => ({
  name: dataset.variable,
  fingerprint: `${dataset.variable}:dataset:${referenceOf(dataset)}:${shortAddress(address)}`,
});

/** As a cell writes it. */
export const referenceOf = ({ registryName, alias, version }: DatasetAnnotation): string =>
  version !== null ? `${registryName}@v=${version}` : alias !== null ? `${registryName}@${alias}` : registryName;

const refused = ({ variable }: DatasetAnnotation, reason: string): CellRefused =>
  new CellRefused('DatasetMissing', `@dataset ${variable}: ${reason}`);
