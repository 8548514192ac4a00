// Connects zod with the framework: requests are checked by their schemas, responses are only described by theirs (the
// tests hold answers against them; serving does not pay for it).
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { invalidRequest } from '../errors/validation.ts';

export function connectSchemas(app: FastifyInstance): void {
  app.setValidatorCompiler<z.ZodType>(({ schema, httpPart = 'body' }) => (data) => {
    const result = schema.safeParse(data === null ? undefined : data, { reportInput: true });
    return result.success ? { value: result.data } : { error: invalidRequest(httpPart, result.error.issues) };
  });
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
}
