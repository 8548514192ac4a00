// The door of provenance.
export { type KeyParts, labelledKey, provenanceKey } from './key.ts';
