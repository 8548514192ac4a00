// The door of the artifact store.
export { createSharedStores, type SharedStores } from './sharedStores.ts';
export { type ArtifactStore, openArtifactStore } from './store.ts';
export {
  type ArtifactAddress,
  type ArtifactState,
  type ArtifactVersion,
  artifactUri,
  type NewArtifact,
  parseArtifactUri,
} from './types.ts';
