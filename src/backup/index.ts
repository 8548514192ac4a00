// The door of backups.
export { type BackupSource, type Made, makeBackup, TargetUnusable, type Watch } from './backup.ts';
export { BackupDamaged, type Manifest, manifestNames } from './manifest.ts';
export { findBackup, PlaceTaken, type RestorePlaces, readBytes, restoreBackup } from './restore.ts';
export { type Damage, type Verified, verifyBackups } from './verify.ts';
