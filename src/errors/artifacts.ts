// Refusals about artifacts, names, publications and the bytes behind them.
import { Refusal } from './refusal.ts';

const at = (id: string, version: number): string => `${id}@v=${version}`;

export const artifactRefusals = {
  artifactNotFound: () => new Refusal('not_found', 'Artifact not found'),

  artifactHidden: (hidden: boolean) =>
    hidden ? new Refusal('not_found', 'Artifact not found') : new Refusal('forbidden', 'Access denied to artifact'),

  resultNotStored: (cellId: string, name: string, stored: readonly string[]) =>
    new Refusal(
      'not_found',
      stored.length === 0
        ? `Cell '${cellId}' has no stored results; run it first. Values are stored when another cell reads them.`
        : `Cell '${cellId}' has stored no '${name}'; it has stored ${stored.join(', ')}. Values are stored when another cell reads them.`,
    ),

  artifactDataNotFound: () => new Refusal('not_found', 'Artifact data not found'),

  artifactNotReady: (state: string) => new Refusal('invalid', `Artifact is not ready (state=${state})`),

  artifactNotNameable: (id: string, version: number, state: string) =>
    new Refusal('invalid', `Artifact ${at(id, version)} is not ready (state=${state})`),

  artifactNotBuilding: (state: string) => new Refusal('invalid', `Artifact is not in building state (state=${state})`),

  signatureInvalid: () => new Refusal('forbidden', 'The signature of this address is wrong, or its time is over'),

  signatureIncomplete: () =>
    new Refusal('invalid', 'A signed address has both `signature` and `expires_at`; use it as it was given'),

  ownerUnreachable: () =>
    new Refusal('unavailable', 'The server that dispatched this cell cannot be reached from here; try again shortly', {
      retryAfterSeconds: 5,
    }),

  buildNotOpen: (id: string) => new Refusal('conflict', `The build ${id} is over and takes nothing any more`),

  buildWithoutUpload: (id: string) => new Refusal('invalid', `Nothing was uploaded for the build ${id}`),

  bundleInvalid: (reason: string) => new Refusal('invalid', `The bundle is refused: ${reason}`),

  outputFileInvalid: (reason: string) => new Refusal('invalid', `The output file is refused: ${reason}`),

  blobNotUploaded: () => new Refusal('invalid', 'Blob not uploaded. Call upload endpoint first.'),

  bodyEmpty: () => new Refusal('invalid', 'Empty request body'),

  uploadTooLarge: (limit: number) => new Refusal('too_large', `Request body exceeds max_upload_bytes (${limit} bytes)`),

  metadataTooLarge: (limit: number) =>
    new Refusal('too_large', `Request body exceeds the metadata limit (${limit} bytes)`),

  noArtifactStore: () => new Refusal('fault', 'Artifact store not available in this deployment'),

  storeUnavailable: () =>
    new Refusal(
      'unavailable',
      'The store that holds artifact bytes cannot be reached; nothing was lost. Retry shortly.',
      {
        retryAfterSeconds: 5,
      },
    ),

  writesDisabled: () =>
    new Refusal('forbidden', {
      error: 'writes_disabled',
      message:
        "Artifact writes are disabled in service mode. Set deployment_mode='personal' for local development, or enable service-mode writes (SVC_SERVICE_WRITES_ENABLED=true).",
    }),

  writeScopeMissing: () =>
    new Refusal('forbidden', {
      error: 'missing_scope',
      message: "Writing artifacts and their registry requires the 'artifacts:write' scope.",
    }),

  tenantRequired: (what: string) => new Refusal('invalid', `Tenant header required for artifact ${what}`),

  usageNeedsIdentity: () =>
    new Refusal('forbidden', 'Usage of a service without principal authentication is not shown'),

  usageOfOthers: () => new Refusal('forbidden', 'Usage of another tenant requires admin:*'),

  artifactPublished: (id: string, version: number, publication: string) =>
    new Refusal(
      'conflict',
      `${at(id, version)} is published (publication id ${publication}); revoke the publication before deleting it`,
    ),

  artifactIdTaken: (id: string) => new Refusal('conflict', `${id} already exists under another tenant`),

  textUnkeepable: () =>
    new Refusal('invalid', 'A text holds NUL or half of a character, which no store keeps; send it without'),

  artifactIdUnusable: (id: string) => new Refusal('invalid', `an artifact id cannot name a path: '${id}'`),

  listFilterInvalid: (what: string, given: string, allowed: string) =>
    new Refusal('invalid', `Invalid ${what}: ${given}. Must be ${allowed}`),

  multipartInvalid: (reason: string) => new Refusal('invalid', `Invalid multipart request: ${reason}`),

  partMissing: (field: string) => new Refusal('invalid', `Missing '${field}' field in multipart request`),

  partNotAFile: (field: string) => new Refusal('invalid', `'${field}' field must be a file, not form data`),

  metadataInvalid: (reason: string) => new Refusal('invalid', `Invalid metadata JSON: ${reason}`),

  metadataField: (field: string, rule: string) => new Refusal('invalid', `Metadata '${field}' must be ${rule}`),

  contentTypeMissing: () =>
    new Refusal('invalid', "Missing 'content_type': a reader cannot decode the blob without it"),

  jsonInvalid: (reason: string) => new Refusal('invalid', `Invalid JSON: ${reason}`),

  dataMissing: () => new Refusal('invalid', "Missing 'data' field"),

  executorMissing: () => new Refusal('invalid', "Missing 'executor' in transform"),

  arrowInvalid: (reason: string) => new Refusal('invalid', `Invalid Arrow IPC data: ${reason}`),

  arrowUnmakeable: (reason: string) => new Refusal('invalid', `Failed to convert data to Arrow: ${reason}`),

  provenanceMiss: () => new Refusal('not_found', 'No artifact has been computed for that provenance hash'),

  lineageTooDeep: (limit: number) =>
    new Refusal('forbidden', `Artifact lineage is deeper than ${limit} steps; what it was made from cannot be checked`),

  nameNotFound: (name: string) => new Refusal('not_found', `Name '${name}' not found`),

  aliasNotFound: (name: string, alias: string) => new Refusal('not_found', `Alias '${name}@${alias}' not found`),

  tagNotFound: (key: string) => new Refusal('not_found', `Tag '${key}' not found`),

  pendingNotFound: (name: string, alias: string) =>
    new Refusal('not_found', `No pending change for alias '${name}@${alias}'`),

  pendingChanged: (name: string, alias: string) =>
    new Refusal(
      'conflict',
      `The change that waits for '${name}@${alias}' is another one by now; look at what waits and decide again`,
    ),

  separationOfDuty: (requester: string) =>
    new Refusal(
      'forbidden',
      `Separation of duty: the approver must differ from the requester ('${requester}' asked for this change)`,
    ),

  pinNeedsReason: () => new Refusal('invalid', 'a pin needs a reason'),

  pinNotFound: () => new Refusal('not_found', 'No pin with that reason on this version'),

  publicationNotFound: () => new Refusal('not_found', 'No publication with that token'),

  publicationNotActive: () => new Refusal('not_found', 'No active publication with that token'),

  publicationUnknown: () => new Refusal('not_found', 'No such publication'),

  publicationVersionFixed: () =>
    new Refusal('invalid', "A publication's version cannot change; withdraw it and publish the other version"),

  publicationTenant: (id: string, version: number, owner: string, tenant: string) =>
    new Refusal('not_found', `${at(id, version)} belongs to tenant '${owner}', cannot publish in tenant '${tenant}'`),

  withdrawn: () => new Refusal('gone', 'This publication was withdrawn'),

  digestMissing: () => new Refusal('conflict', 'No digest was recorded for this publication, so it cannot be verified'),

  notAPublicationUrl: () => new Refusal('not_found', 'Not a publication URL on this server'),

  oembedFormat: () => new Refusal('not_offered', 'Only the json format of oEmbed is offered'),

  limitNegative: (name: string) => new Refusal('invalid', `${name} must be non-negative`),

  digestMismatch: (expected: string, received: string) =>
    new Refusal(
      'invalid',
      `Uploaded bytes do not match the digest in the path (path ${expected.slice(0, 12)}…, received ${received.slice(0, 12)}…)`,
    ),

  contentDigestMismatch: (expected: string, received: string) =>
    new Refusal(
      'invalid',
      `The bytes do not match content_sha256 (recorded ${expected.slice(0, 12)}…, received ${received.slice(0, 12)}…)`,
    ),

  bytesNotStaged: (digest: string) =>
    new Refusal(
      'invalid',
      `No bytes uploaded for content_sha256 ${digest.slice(0, 12)}…; PUT them to /v1/artifacts/import/blobs/<digest> first`,
    ),

  importConflict: (id: string, version: number, why: string) =>
    new Refusal(
      'conflict',
      `${at(id, version)} already exists${why}. Retry with remap=true to import it under a fresh id.`,
    ),

  noTeamStore: () =>
    new Refusal(
      'conflict',
      'No team store is configured; set SVC_NOTEBOOK_REMOTE_STORE_URL to the store to promote to',
    ),

  notInNotebook: (id: string, version: number) =>
    new Refusal('not_found', `${at(id, version)} is not in this notebook's store`),

  aliasNeedsName: () => new Refusal('invalid', 'An alias points a name at a version: give the name too'),

  teamStoreFailed: (url: string, reason: string) => new Refusal('upstream', `The team store at ${url}: ${reason}`),
} as const;
