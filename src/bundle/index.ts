// The door of bundles: what a run on a worker gave, as one archive.
export { extensionOf } from './formats.ts';
export { type BundleManifest, bundleVersion, manifestSchema, maxTold, type WireEffects } from './manifest.ts';
export { type Bundle, BundleInvalid, type BundleLimits, readBundle } from './readBundle.ts';
export { isUnplaceable, packTar, readTar, type TarEntry, TarInvalid } from './tar.ts';
export { type BundleParts, type FolderFile, filesIn, writeBundle } from './writeBundle.ts';
