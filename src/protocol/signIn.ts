// How people sign in to a service with a browser.
import { z } from 'zod';

export const signInBody = z.object({
  /** `none`: nobody has to; `proxy`: the operator's proxy says who people are. */
  method: z.enum(['none', 'api_key', 'proxy']),
  /** Where people sign in at the operator's proxy, if there is such a place. */
  url: z.string().nullable(),
  /** Who asks; null for somebody who is not signed in. */
  principal: z.string().nullable(),
  /** What they may do; null where everybody may do everything. */
  scopes: z.array(z.string()).nullable(),
  /** Whether anybody at all may store results, name and publish them here: a shared server does it where its operator says so. */
  writes: z.boolean(),
});

export const signInRequest = z.object({ api_key: z.string().min(1).max(500) });

export type SignInBody = z.infer<typeof signInBody>;
