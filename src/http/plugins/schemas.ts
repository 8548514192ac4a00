// Connects zod with the framework: requests are checked by their schemas, responses are only described by theirs (the
// tests hold answers against them; serving does not pay for it).
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { invalidRequest } from '../errors/validation.ts';

const replaced = (): never => {
  throw new Error('A route was added before the schemas were connected.');
};

/** Unless these are given, the framework loads a hundred files of compilers that `connectSchemas` replaces anyway. */
export const noOtherCompilers = { compilersFactory: { buildValidator: replaced, buildSerializer: replaced } };

export function connectSchemas(app: FastifyInstance): void {
  app.setValidatorCompiler<z.ZodType>(({ schema, httpPart = 'body', url }) => {
    const choiceType = /^\/v1\/(?:notebooks|projects)(?:\/|$)/.test(url) ? 'enum' : 'literal_error';
    return (data) => {
      const result = schema.safeParse(data === null ? undefined : data, { reportInput: true });
      if (result.success) return { value: result.data };
      return { error: invalidRequest(httpPart, result.error.issues, choiceType) };
    };
  });
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
}
