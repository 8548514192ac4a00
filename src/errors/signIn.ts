// Refusals of those who sign in.
import { Refusal } from './refusal.ts';

export const signInRefusals = {
  noKeysHere: () =>
    new Refusal('conflict', {
      code: 'no_keys_here',
      message: 'Nobody signs in with a key here: either nobody has to, or a proxy in front says who people are.',
    }),

  keyUnknown: () =>
    new Refusal('unauthenticated', 'This key is not known here, or it is not valid any more. Ask for a new one.'),
};
