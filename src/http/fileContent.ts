// How the description of a route says that it answers with a file of one of these types.
import { z } from 'zod';

const bytes = z.unknown().meta({ type: 'string', format: 'binary' });

/** What is JSON is read as a value by whoever follows the description; everything else is bytes. */
export const fileContent = (...types: string[]): Record<string, { schema: z.ZodUnknown }> =>
  Object.fromEntries(types.map((type) => [type, { schema: /[/+]json$/.test(type) ? z.unknown() : bytes }]));
