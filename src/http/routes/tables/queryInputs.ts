// The inputs of a query as the caller may read them: artifacts and names at their versions, tables at their state of now.
import { nameUri, parseArtifactUri, shortAddress } from '../../../artifacts/index.ts';
import type { BuildInput } from '../../../builds/index.ts';
import { refusals } from '../../../errors/index.ts';
import type { Caller } from '../../../identity/index.ts';
import type { Services } from '../../services.ts';
import { actorOf, versionFor, writableStore } from '../artifacts/gates.ts';
import { checkTables } from '../artifacts/tables.ts';
import { checkTable } from './access.ts';

const names = nameUri('');

export async function queryInput(services: Services, caller: Caller, uri: string): Promise<BuildInput> {
  if (!uri.startsWith('svc://')) return tableInput(services, caller, uri);
  const address = uri.startsWith(names)
    ? await named(services, caller, uri.slice(names.length))
    : parseArtifactUri(uri);
  if (!address)
    throw uri.startsWith('svc://artifact/') ? refusals.artifactInputMalformed(uri) : refusals.inputKindUnknown(uri);
  const artifact = await versionFor(services, caller, address);
  await checkTables(services, caller, artifact);
  return { uri, version: shortAddress(artifact), artifact, bytes: artifact.byteSize ?? Number.POSITIVE_INFINITY };
}

async function tableInput(services: Services, caller: Caller, uri: string): Promise<BuildInput> {
  const { planner } = services.tables;
  const address = checkTable(services, caller, uri);
  const plan = await planner.plan(address, { columns: [], filters: [], snapshotId: null }, caller.tenant ?? '');
  return { uri, version: services.tables.scans.versionOf(plan), artifact: null, bytes: plan.estimatedBytes };
}

async function named(services: Services, caller: Caller, name: string) {
  const pointer = await writableStore(services).names.find(actorOf(caller).tenant, name);
  if (!pointer) throw refusals.nameInputNotFound(name);
  return pointer;
}
