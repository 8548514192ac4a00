import { randomBytes } from 'node:crypto';

/** 32 random bytes as 43 characters of base64url, which no command line takes for an option. */
export function newSecret(): string {
  const secret = randomBytes(32).toString('base64url');
  return secret.startsWith('-') ? newSecret() : secret;
}
