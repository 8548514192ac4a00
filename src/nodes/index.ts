// Several servers on one store: which of them holds what lives in one process.
export { createHomes, HeldElsewhere, type Homes, noHomes, type SessionPlace } from './homes.ts';
export { alone, createOwners, type Owners, type OwnersParts } from './owners.ts';
