/** The room of limits that hold for every request. Scan slots and their adaptive control belong to `tables`. */
export { createFairLine, type FairLine } from './fairLine.ts';
export { createRefusalNotes } from './refusalNotes.ts';
export {
  createRateLimiter,
  defaultRateLimits,
  type LimitType,
  type RateDecision,
  type RateLimiter,
  type RateLimits,
} from './tokenBuckets.ts';
export { createTurns, type Turns } from './turns.ts';
