// The door of the artifact store.
export { type ArtifactStore, openArtifactStore } from './store.ts';
export {
  type ArtifactAddress,
  type ArtifactState,
  type ArtifactVersion,
  artifactUri,
  type NewArtifact,
  parseArtifactUri,
} from './types.ts';
