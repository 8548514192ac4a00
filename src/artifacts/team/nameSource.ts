// Where the versions behind names are read from: this server's own registry, or the store that a team shares.
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { refusals } from '../../errors/index.ts';
import { intoFile } from '../../files/index.ts';
import type { Artifacts } from '../artifacts.ts';
import { contentTypeOf } from '../transform.ts';
import { type ArtifactAddress, type ArtifactState, parseArtifactUri } from '../types.ts';
import { escapedName, pathOf } from './paths.ts';
import { detailOf, type TeamStore } from './teamStore.ts';

export interface NameSource {
  /** Asking it goes over a network. */
  readonly isFar: boolean;
  /** Undefined when there is no such name, or no such alias of it. */
  find(name: string, alias: string | null): Promise<ArtifactAddress | undefined>;
  /** Undefined when there is no such version. */
  version(address: ArtifactAddress): Promise<NamedVersion | undefined>;
  /** Writes the bytes to a file; false when they are gone. */
  save(address: ArtifactAddress, file: string): Promise<boolean>;
}

export interface NamedVersion {
  readonly state: ArtifactState;
  readonly contentType: string;
}

export const ownNames = ({ names, aliases, versions }: Artifacts, tenant: string): NameSource => ({
  isFar: false,
  find: (name, alias) => (alias === null ? names.find(tenant, name) : aliases.find(tenant, name, alias)),
  async version(address) {
    const version = await versions.get(address);
    return version && { state: version.state, contentType: contentTypeOf(version) };
  },
  async save(address, file) {
    const version = await versions.get(address);
    const blob = version && (await versions.open(version));
    if (!blob) return false;
    await pipeline(await blob.read(), intoFile(file));
    return true;
  },
});

const pointer = z.object({ artifact_uri: z.string() });
const record = z.object({
  state: z.enum(['building', 'ready', 'superseded', 'failed']),
  arrow_schema: z.string().nullable(),
  transform_spec: z.string().nullable(),
});
const transferMilliseconds = 300_000;

export function teamNames(team: TeamStore, principal: string | null): NameSource {
  async function ask(place: string): Promise<unknown> {
    const { status, body } = await team.relay('GET', place, null, principal);
    if (status === 404) return undefined;
    if (status >= 400) throw refusals.teamStoreFailed(team.url, `${status} ${detailOf(body)}`);
    return body;
  }

  return {
    isFar: true,
    async find(name, alias) {
      const suffix = alias === null ? '' : `/aliases/${encodeURIComponent(alias)}`;
      const found = await ask(`/v1/names/${escapedName(name)}${suffix}`);
      return found === undefined ? undefined : parseArtifactUri(pointer.parse(found).artifact_uri);
    },
    async version(address) {
      const found = await ask(pathOf(address));
      if (found === undefined) return undefined;
      const { state, arrow_schema: schema, transform_spec: transformSpec } = record.parse(found);
      return { state, contentType: contentTypeOf({ schema, transformSpec }) };
    },
    async save(address, file) {
      const request = { milliseconds: transferMilliseconds };
      const response = await team.send(`${pathOf(address)}/data`, request, principal);
      if (response.status === 404) return false;
      if (!response.ok || !response.body) throw refusals.teamStoreFailed(team.url, `${response.status} for bytes`);
      await pipeline(response.body, intoFile(file));
      return true;
    },
  };
}
