// The packages of a notebook over REST: list, add, remove, and whole lists in and out.
import { z } from 'zod';
import {
  addRequest,
  maxImportCharacters,
  maxRequirementCharacters,
  parseRequirement,
  previewImport,
  readList,
  removeRequest,
} from '../../../environments/index.ts';
import type { OpenSession } from '../../../notebook/index.ts';
import {
  dependencyChangeBody,
  detailBody,
  detailObjectBody,
  environmentBody,
  importBody,
  previewBody,
} from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import { attachment } from '../../headers.ts';
import type { App, Services } from '../../services.ts';
import { changeAnswer, succeeded } from './environmentAnswers.ts';
import { sessionOf, sessionParams } from './shared.ts';

const requirement = z
  .string()
  .max(maxRequirementCharacters)
  .refine((text) => isRequirement(text), 'Not a single package requirement: write a name, with or without a version');

/** What of the list cannot be read is left out and named, instead of refusing it all. */
const take_readable = z.boolean().default(false);
const requirementsBody = z.object({ requirements: z.string().max(maxImportCharacters), take_readable });
const yamlBody = z.object({ environment_yaml: z.string().max(maxImportCharacters), take_readable });

type ListText = Parameters<typeof readList>[0];

const tags = ['environment'];
const base = '/v1/notebooks/:session_id';

export function dependencyRoutes(app: App, services: Services): void {
  const find = (sessionId: string): OpenSession => sessionOf(services, sessionId);

  app.get(
    `${base}/dependencies`,
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'What the notebook declares, and what that was resolved to',
        params: sessionParams,
        response: { 200: environmentBody },
      },
    },
    async (request) => find(request.params.session_id).environment.payload(),
  );

  app.post(
    `${base}/dependencies`,
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'Add a package and wait for it',
        params: sessionParams,
        body: z.object({ package: requirement }),
        response: { 200: dependencyChangeBody, 400: detailObjectBody, 409: detailObjectBody },
      },
    },
    async (request) => {
      const session = find(request.params.session_id);
      const job = await succeeded(session.startJob(addRequest(request.body.package)));
      return { success: true as const, package: request.body.package, ...changeAnswer(session, job) };
    },
  );

  app.delete(
    `${base}/dependencies/:package_name`,
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'Remove a package and wait for it',
        params: z.object({ session_id: z.string(), package_name: z.string() }),
        response: { 200: dependencyChangeBody, 400: detailObjectBody, 409: detailObjectBody },
      },
    },
    async (request) => {
      const session = find(request.params.session_id);
      const { package_name: name } = request.params;
      const job = await succeeded(session.startJob(removeRequest(name)));
      return { success: true as const, package: name, ...changeAnswer(session, job) };
    },
  );

  listRoutes(app, services);
}

/** Lists of packages in files that other programs write. */
function listRoutes(app: App, services: Services): void {
  const find = (sessionId: string): OpenSession => sessionOf(services, sessionId);

  app.get(
    `${base}/environment/requirements.txt`,
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'The declared packages as a requirements file',
        params: sessionParams,
        response: {
          200: { description: 'One requirement a line', content: { 'text/plain': { schema: z.string() } } },
        },
      },
    },
    async (request, reply) => {
      const { environment, live } = find(request.params.session_id);
      const requirements = environment.requirements();
      return reply
        .type('text/plain; charset=utf-8')
        .header('content-disposition', attachment(`${live.notebook().name}-requirements.txt`))
        .send(requirements.map((line) => `${line}\n`).join(''));
    },
  );

  const importResponses = { 200: importBody, 400: detailObjectBody, 409: detailObjectBody };
  const previewResponses = { 200: previewBody, 400: detailBody };

  app.post(
    `${base}/environment/requirements.txt`,
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'Replace the declared packages by a requirements file and wait for it',
        params: sessionParams,
        body: requirementsBody,
        response: importResponses,
      },
    },
    async (request) => importList(find(request.params.session_id), { ...request.body, environment_yaml: null }),
  );

  app.post(
    `${base}/environment/requirements.txt/preview`,
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'What importing a requirements file would change',
        params: sessionParams,
        body: requirementsBody,
        response: previewResponses,
      },
    },
    async (request) => preview(find(request.params.session_id), { ...request.body, environment_yaml: null }),
  );

  app.post(
    `${base}/environment/environment.yaml`,
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'Replace the declared packages by an environment file of conda and wait for it',
        params: sessionParams,
        body: yamlBody,
        response: importResponses,
      },
    },
    async (request) => importList(find(request.params.session_id), { ...request.body, requirements: null }),
  );

  app.post(
    `${base}/environment/environment.yaml/preview`,
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'What importing an environment file would change',
        params: sessionParams,
        body: yamlBody,
        response: previewResponses,
      },
    },
    async (request) => preview(find(request.params.session_id), { ...request.body, requirements: null }),
  );
}

async function importList(session: OpenSession, text: ListText) {
  const list = await readList(text);
  const { imported_count, warnings } = previewImport([], list);
  const job = await succeeded(session.startJob({ action: 'import', list }));
  return { success: true as const, imported_count, warnings, ...changeAnswer(session, job) };
}

async function preview({ environment }: OpenSession, text: ListText) {
  const payload = environment.payload();
  return { ...previewImport(payload.dependencies, await readList(text)), ...payload };
}

function isRequirement(text: string): boolean {
  try {
    parseRequirement(text);
    return true;
  } catch {
    return false;
  }
}
