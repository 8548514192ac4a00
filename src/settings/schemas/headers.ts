// HTTP headers an operator writes into a setting.

import { z } from 'zod';

export const headersSchema = z.record(
  z.string().regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/i, { error: 'is not an HTTP header name' }),
  z.string().refine((value) => !/[\r\n\0]/.test(value), { error: 'holds a line break' }),
);
