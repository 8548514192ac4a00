// Signing in to a service, and out.
import type { SignInBody } from '../../../src/protocol/index.ts';
import { address, refusalOf, request } from './client.ts';

export const readSignIn = (): Promise<SignInBody> => request('GET', '/v1/sign-in');

/** Past the way that leads everybody else to the page where one signs in. */
export async function signIn(key: string): Promise<void> {
  const answer = await fetch(address('/v1/sign-in'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: key }),
  });
  if (!answer.ok) throw await refusalOf(answer);
}

export const signOut = (): Promise<unknown> => request('DELETE', '/v1/sign-in');
