// Which versions the inputs of a computation stand for now.
import { type Artifacts, parseArtifactUri, shortAddress } from '../../../artifacts/index.ts';

const nameScheme = 'svc://name/';

/** An artifact is its version, a name the version it points at; anything else, and a name of nothing, stands for itself. */
export async function resolveInput(store: Artifacts, tenant: string, uri: string): Promise<string | undefined> {
  const address = parseArtifactUri(uri);
  if (address) return shortAddress(address);
  if (!uri.startsWith(nameScheme)) return undefined;
  const pointer = await store.names.find(tenant, uri.slice(nameScheme.length));
  return pointer && shortAddress(pointer);
}

export async function resolveInputs(
  store: Artifacts,
  tenant: string,
  inputs: readonly string[],
): Promise<Record<string, string>> {
  const versions: Record<string, string> = {};
  for (const uri of inputs) versions[uri] = (await resolveInput(store, tenant, uri)) ?? uri;
  return versions;
}
