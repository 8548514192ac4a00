// The door of backups.
export { type BackupSource, type Made, makeBackup } from './backup.ts';
export { BackupDamaged, type Manifest, manifestNames } from './manifest.ts';
export { addressOf, openPlace } from './openPlace.ts';
export { type BackupPlace, TargetUnusable, type Watch } from './place.ts';
export { findBackup, PlaceTaken, type RestorePlaces, readBytes, restoreBackup } from './restore.ts';
export { type Damage, type Verified, verifyBackups } from './verify.ts';
