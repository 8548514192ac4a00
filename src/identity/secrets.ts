// Comparing and making secrets. Only digests are ever compared, in time that does not depend on the content.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const digest = (secret: string): Buffer => createHash('sha256').update(secret, 'utf8').digest();

export const sha256Hex = (secret: string): string => digest(secret).toString('hex');

/** A comparison with one known secret, made ready once. */
export function secretMatcher(expected: string): (given: string) => boolean {
  const known = digest(expected);
  return (given) => timingSafeEqual(known, digest(given));
}

export function sameHex(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a, 'hex'), Buffer.from(b, 'hex')];
  return left.length === right.length && timingSafeEqual(left, right);
}

export const newKeyId = (): string => randomBytes(16).toString('hex');
