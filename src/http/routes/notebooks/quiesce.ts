// Holding notebooks still for a copy, and letting them go: one by its session, or all below a project directory.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { refusals } from '../../../errors/index.ts';
import type { Caller } from '../../../identity/index.ts';
import { openNotebookRoot, quiesce, resolveInside } from '../../../notebook/index.ts';
import { detailBody, detailObjectBody } from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import { alsoAt, wasForwarded } from '../../forward.ts';
import type { App, Services } from '../../services.ts';
import { sessionOf, sessionParams } from './shared.ts';

const body = z
  .object({
    timeout_seconds: z.number().min(0).max(3600).default(30),
    max_hold_seconds: z.number().gt(0).max(86_400).default(600),
  })
  .default({ timeout_seconds: 30, max_hold_seconds: 600 });

const quiesced = z.object({
  path: z.string(),
  notebooks: z.array(z.string()).readonly(),
  cancelled_cells: z.record(z.string(), z.array(z.string()).readonly()),
  hold_expires_in_seconds: z.number(),
});
const released = z.object({ path: z.string(), released: z.boolean() });
const projectParams = z.object({ path: z.string().describe('Inside the storage root; slashes as they are or as %2F') });
const refused = { 400: detailBody, 404: detailBody, 409: detailObjectBody };

type Quiesced = z.infer<typeof quiesced>;
type ProjectRequest = FastifyRequest & { readonly body: z.infer<typeof body> };

function quiescedIn({ status, body: said }: { status: number; body: unknown }): Quiesced {
  const { data } = quiesced.safeParse(said);
  if (status === 200 && data) return data;
  const { detail } = z.looseObject({ detail: z.unknown() }).parse(said);
  throw refusals.holdFailed(typeof detail === 'string' ? detail : String(Object(detail).message ?? status));
}

const together = (own: Quiesced, others: readonly Quiesced[]): Quiesced => ({
  ...own,
  notebooks: [own, ...others].flatMap(({ notebooks }) => notebooks).sort(),
  cancelled_cells: Object.assign({}, ...[own, ...others].map(({ cancelled_cells }) => cancelled_cells)),
});

export function quiesceRoutes(app: App, services: Services): void {
  const { settings, sessions, holds, homes } = services;
  const tags = ['notebooks'];

  const holdStill = (root: string, { timeout_seconds, max_hold_seconds }: z.infer<typeof body>) =>
    quiesce(sessions.list, holds, { root, timeoutSeconds: timeout_seconds, maxHoldSeconds: max_hold_seconds });

  const projectRoot = async (caller: Caller, place: string): Promise<string> =>
    resolveInside(await openNotebookRoot(settings, caller), place, 'project path');

  /** Other servers hold what they have open themselves, and open nothing more there. */
  async function holdEverywhere(root: string, request: ProjectRequest): Promise<Quiesced> {
    const own = await holdStill(root, request.body);
    if (wasForwarded(request.headers)) return own;
    const others = await homes.hold(root, own.hold_expires_in_seconds);
    try {
      const answers = await Promise.all(others.map((server) => alsoAt(request, server)));
      return together(own, answers.map(quiescedIn));
    } catch (error) {
      await releaseEverywhere(root, request);
      throw error;
    }
  }

  async function releaseEverywhere(root: string, request: ProjectRequest): Promise<z.infer<typeof released>> {
    const others = wasForwarded(request.headers) ? [] : await homes.release(root);
    const answers = await Promise.allSettled(others.map((server) => alsoAt(request, server)));
    const isReleased = answers.some((one) => one.status === 'fulfilled' && Object(one.value.body).released === true);
    return { path: root, released: holds.release(root) || isReleased };
  }

  app.post(
    '/v1/notebooks/:session_id/quiesce',
    {
      config: needs('admin:notebooks'),
      schema: {
        tags,
        summary: 'Hold a notebook still for a copy',
        params: sessionParams,
        body,
        response: { 200: quiesced, 409: detailObjectBody },
      },
    },
    async (request) => holdStill(sessionOf(services, request.params.session_id).live.directory, request.body),
  );

  app.post(
    '/v1/notebooks/:session_id/release',
    {
      config: needs('admin:notebooks'),
      schema: { tags, summary: 'End the hold of a notebook', params: sessionParams, response: { 200: released } },
    },
    async (request) => {
      const { directory } = sessionOf(services, request.params.session_id).live;
      return { path: directory, released: holds.release(directory) };
    },
  );

  // The path of a project may hold slashes, so one route takes both verbs.
  app.post(
    '/v1/projects/*',
    {
      config: needs('admin:notebooks'),
      schema: {
        tags,
        params: z.object({ '*': z.string() }),
        body,
        response: { 200: z.union([quiesced, released]), ...refused },
        describedAs: [
          {
            url: '/v1/projects/:path/quiesce',
            summary: 'Hold every notebook below a project directory still for a copy',
            params: projectParams,
            response: { 200: quiesced, ...refused },
          },
          {
            url: '/v1/projects/:path/release',
            summary: 'End the hold of a project directory',
            params: projectParams,
            response: { 200: released, ...refused },
          },
        ],
      },
    },
    async (request) => {
      // Clients drop a `.` segment, so a path that is not there means the whole root.
      const [, place = '.', verb] = /^(?:(.*)\/)?(quiesce|release)$/s.exec(request.params['*']) ?? [];
      if (verb === undefined) throw refusals.fileNotFound();
      const root = await projectRoot(request.caller, place);
      return verb === 'quiesce' ? holdEverywhere(root, request) : releaseEverywhere(root, request);
    },
  );
}
