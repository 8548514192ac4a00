// The live description of every route. Each route states its own answers; the answers that the gates in front of it can
// give are added here, from the same facts that drive the gates.
import type { FastifyInstance, RouteOptions } from 'fastify';
import { z } from 'zod';
import { detailBody, detailObjectBody, validationBody } from '../../protocol/index.ts';
import { isUnlimited } from '../access.ts';
import type { OpenApiDocument } from './openapiDocument.ts';

/** One operation of a route that takes several: a path with slashes in it leaves only a wildcard to route by. */
export interface DescribedOperation {
  /** With a parameter in place of the wildcard. */
  readonly url: string;
  readonly summary: string;
  readonly params: z.ZodType;
  readonly response: Readonly<Record<number, unknown>>;
}

declare module 'fastify' {
  interface FastifySchema {
    /** What the document shows in place of the route itself. */
    describedAs?: readonly DescribedOperation[];
  }
}

const words: Readonly<Record<string, string>> = {
  200: 'Success',
  201: 'Stored',
  202: 'Accepted; the work goes on',
  400: 'The request cannot be carried out as it stands',
  401: 'Missing or wrong credentials',
  403: 'The caller may not do this',
  404: 'There is no such thing, or not for this caller',
  409: 'Something else is going on',
  413: 'The body is larger than this route accepts',
  415: 'The content type cannot be read',
  422: 'The request does not fit its schema',
  501: 'Not offered by this version',
  503: 'Not available now; `Retry-After` says when to come back',
};

const text = (description: string) => ({ description, content: { 'text/plain': { schema: z.string() } } });

/** Gives the document of every route that states a schema. It is made, and its makers are loaded, when first asked for. */
export function describeRoutes(app: FastifyInstance): () => Promise<OpenApiDocument> {
  const described: RouteOptions[] = [];
  let document: Promise<OpenApiDocument> | undefined;
  app.addHook('onRoute', (route) => {
    if (route.schema === undefined)
      throw new Error(`${route.method} ${route.url} has no description; give it a schema, or hide it.`);
    if (route.schema.hide === true) return;
    const { describedAs, ...schema } = route.schema;
    route.schema.response = describedAnswers(route, schema.response);
    if (route.method === 'HEAD') return;
    for (const { url, response, ...own } of describedAs ?? [])
      described.push({ ...route, url, schema: { ...schema, ...own, response: describedAnswers(route, response) } });
    if (describedAs === undefined) described.push(route);
  });
  return () => {
    document ??= import('./openapiDocument.ts').then(({ composeDocument }) => composeDocument(described));
    return document;
  };
}

/** What the gates in front of a route answer and what it answers itself, in order of status, each in words. */
function describedAnswers(route: RouteOptions, own: unknown): Record<string, unknown> {
  const answers: Record<string, object> = {};
  for (const source of [gateAnswers(route), Object(own)]) {
    for (const [status, body] of Object.entries(source)) {
      const before = answers[status];
      const next = answerOf(status, body);
      answers[status] = before ? { ...next, content: eitherOf(contentOf(before), contentOf(next)) } : next;
    }
  }
  return answers;
}

/** One status, two answers: a gate's text and the route's JSON stand side by side, of one type it is one or the other. */
function eitherOf(gate: Content, own: Content): Content {
  const shared = Object.keys(gate).flatMap((type): [string, { schema: z.ZodType }][] => {
    const [one, other] = [gate[type]?.schema, own[type]?.schema];
    return one && other && one !== other ? [[type, { schema: z.union([one, other]) }]] : [];
  });
  return { ...gate, ...own, ...Object.fromEntries(shared) };
}

type Content = Readonly<Record<string, { readonly schema: z.ZodType }>>;

const answerOf = (status: string, body: unknown): object =>
  body instanceof z.ZodType
    ? { description: words[status] ?? '', content: { 'application/json': { schema: body } } }
    : Object(body);

const contentOf = (answer: object): Content => ('content' in answer ? Object(answer.content) : {});

function gateAnswers(route: RouteOptions): Record<number, unknown> {
  const { url, schema } = route;
  const method = String(route.method);
  const writes = method !== 'GET' && method !== 'HEAD';
  const answers: Record<number, unknown> = {
    400: {
      description: 'Host not allowed, a tenant header that is missing or wrong, or a text that nothing can keep',
      content: { 'text/plain': { schema: z.string() }, 'application/json': { schema: detailBody } },
    },
    500: text('Server fault, logged with the request id'),
  };
  const access = route.config?.access;
  if (access?.open !== 'probe') answers[401] = detailBody;
  if (!isUnlimited(access)) answers[429] = text('Rate limit exceeded; `Retry-After` says when to come back');
  if (access?.scope !== undefined || writes) answers[403] = detailObjectBody;
  if (url.includes(':session_id')) answers[404] = detailBody;
  if (schema?.body || schema?.params || schema?.querystring) answers[422] = validationBody;
  if (schema?.body) answers[413] = detailBody;
  if (schema?.body) answers[415] = detailBody;
  return answers;
}
