// Which place an argument names: an object store by its address, as mounts spell it; a folder by its path.
import { type ObjectSettings, objectStoreOf } from '../artifacts/index.ts';
import { patienceOf } from '../fetch/index.ts';
import { placeIn } from '../mounts/index.ts';
import { type ObjectStore, openObjects } from '../objectStores/index.ts';
import type { Settings } from '../settings/index.ts';
import { folderPlace } from './folderPlace.ts';
import { objectPlace } from './objectPlace.ts';
import { type BackupPlace, TargetUnusable } from './place.ts';

type PlaceSettings = ObjectSettings & Pick<Settings, 's3ConnectTimeoutSeconds' | 's3RequestTimeoutSeconds'>;

const kinds = { s3: 's3', gcs: 'gcs', abfs: 'azure' } as const;
const schemes = { s3: 's3', gcs: 'gs', azure: 'az' } as const;

export const addressOf = (kind: keyof typeof schemes, bucket: string, prefix: string): string =>
  `${schemes[kind]}://${bucket}${prefix === '' ? '' : `/${prefix}`}`;

export async function openPlace(target: string, settings: PlaceSettings): Promise<BackupPlace> {
  const place = placeIn(target);
  if (!place) {
    if (/^[a-z0-9]+:\/\//i.test(target))
      throw new TargetUnusable(`${target} names no place for backups; give a folder, or s3://, gs:// or az://.`);
    return folderPlace(target);
  }
  const kind = kinds[place.protocol];
  const { bucket, prefix } = place;
  const client = await openObjects({ ...storeOf(kind, settings), bucket });
  return objectPlace(client, addressOf(kind, bucket, prefix), prefix, patienceOf(settings));
}

function storeOf(kind: ObjectStore['kind'], settings: ObjectSettings): ObjectStore {
  try {
    return objectStoreOf(kind, settings);
  } catch (error) {
    throw new TargetUnusable(error instanceof Error ? error.message : String(error));
  }
}
