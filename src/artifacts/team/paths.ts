// Where things lie on the public routes of a store.
import type { ArtifactAddress } from '../types.ts';

export const pathOf = ({ id, version }: ArtifactAddress): string =>
  `/v1/artifacts/${encodeURIComponent(id)}/v/${version}`;

/** Slashes of a name stay: it is a path of its own. */
export const escapedName = (name: string): string => name.split('/').map(encodeURIComponent).join('/');
