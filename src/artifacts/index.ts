// The door of the artifact store.

export { arrowFromJson, Unconvertible } from './arrow/fromJson.ts';
export { ArrowInvalid } from './arrow/invalid.ts';
export { type ArrowFacts, type ArrowScan, createArrowScan } from './arrow/ipcScan.ts';
export { type Artifacts, openArtifacts } from './artifacts.ts';
export { type ObjectSettings, objectStoreOf } from './blobs/access.ts';
export { attemptBlobName, type Blob, type Blobs, blobNameOf } from './blobs/blobs.ts';
export { openBlobs } from './blobs/index.ts';
export { openLocalBlobs, readLocalBlobs } from './blobs/local.ts';
export { finishedVersions, flawOfBytes } from './checks/bytes.ts';
export type { Flaw } from './checks/flaw.ts';
export { type CheckedStore, flawsOfNotebookStore, flawsOfStore } from './checks/store.ts';
export type { Policy } from './collect/plan.ts';
export { giveBack } from './giveBack.ts';
export type { ImportRecord } from './imports.ts';
export type { LateUploads } from './lateUploads.ts';
export { ancestryOf, dependentsOf, type LineageNode, lineageOf, maxAncestry, type VersionSource } from './lineage.ts';
export { listVersions, sortColumns, usageOf } from './listing.ts';
export {
  type Companion,
  companionName,
  writeArchive,
  writeArchiveFolder,
} from './publications/archive.ts';
export { crateOf, type Links, titleOf } from './publications/crate.ts';
export { badge, embedCard, publicationPage, withdrawnPage } from './publications/page.ts';
export { previewOf } from './publications/preview.ts';
export type { Author, ExternalId, Publication } from './publications/publications.ts';
export { claims, type Story, shownAs, tellStory } from './publications/story.ts';
export type { PendingChange } from './registry/aliases.ts';
export { type AuditRecord, readAudit, readEvents } from './registry/audit.ts';
export type { Actor } from './registry/names.ts';
export { removeVersion } from './removal.ts';
export { recordedInputs, versionOf } from './rows.ts';
export { createSharedStores, type SharedStores } from './sharedStores.ts';
export { bootFileIn, putsBackSmallValues } from './smallValues.ts';
export type { StagedBytes } from './staging.ts';
export { type ArtifactStore, openArtifactStore } from './store.ts';
export { type CopySource, copyChain, copyInto, copySourceOf, defaultDepth } from './team/copyChain.ts';
export { type NameSource, ownNames, teamNames } from './team/nameSource.ts';
export { type Promoted, type Promotion, promote } from './team/promote.ts';
export { createTeamStore, detailOf, type TeamStore } from './team/teamStore.ts';
export { createTeamValues, type TeamValue, type TeamValues } from './team/teamValues.ts';
export {
  canonicalJson,
  contentTypeOf,
  parseExact,
  plainNumbers,
  transformHash,
  transformOf,
  transformSpec,
} from './transform.ts';
export {
  type ArtifactAddress,
  type ArtifactState,
  type ArtifactVersion,
  artifactStates,
  artifactUri,
  type NewArtifact,
  nameUri,
  parseAddress,
  parseArtifactUri,
  shortAddress,
} from './types.ts';
export type { PlacedBytes } from './versions.ts';
