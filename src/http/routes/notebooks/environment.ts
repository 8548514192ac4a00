// The environment of a notebook over REST: what it is, its jobs, its version of Python, its R packages.
import { z } from 'zod';
import {
  findPackage,
  isPackageName,
  maxImportCharacters,
  maxRequirementCharacters,
  readJobRequest,
} from '../../../environments/index.ts';
import { refusals } from '../../../errors/index.ts';
import {
  acceptedJobBody,
  detailBody,
  detailObjectBody,
  environmentActions,
  environmentBody,
  environmentCellsBody,
  environmentChangeBody,
  indexedPackageBody,
  pythonVersion,
  rPackagesBody,
  unchangedPythonBody,
} from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { changeAnswer, environmentAnswer } from './environmentAnswers.ts';
import { sessionOf, sessionParams } from './shared.ts';

const jobRequest = z.object({
  action: z
    .string()
    .max(32)
    .transform((text) => text.trim().toLowerCase())
    .pipe(z.enum(environmentActions, 'Unsupported environment job action')),
  package: z.string().max(maxRequirementCharacters).nullable().default(null),
  packages: z.array(z.string().max(maxRequirementCharacters)).max(100).nullable().default(null),
  requirements: z.string().max(maxImportCharacters).nullable().default(null),
  environment_yaml: z.string().max(maxImportCharacters).nullable().default(null),
  take_readable: z.boolean().default(false),
  /** While something runs the job waits for its turn, instead of being refused. */
  wait: z.boolean().default(false),
});

const tags = ['environment'];

export function environmentRoutes(app: App, services: Services): void {
  app.get(
    '/v1/notebooks/:session_id/environment',
    {
      config: needs('notebook:read'),
      schema: { tags, summary: 'The environment', params: sessionParams, response: { 200: environmentBody } },
    },
    async (request) => sessionOf(services, request.params.session_id).environment.payload(),
  );

  app.post(
    '/v1/notebooks/:session_id/environment/sync',
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'Bring the environment to what the project declares, and wait for it',
        params: sessionParams,
        response: { 200: environmentChangeBody, 409: detailObjectBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      return changeAnswer(session, await session.startJob({ action: 'sync' }).ended);
    },
  );

  jobRoutes(app, services);
  packageRoutes(app, services);
}

/** What changes the environment, and takes a while. */
function jobRoutes(app: App, services: Services): void {
  const { pythons, r } = services;

  app.get(
    '/v1/notebooks/:session_id/environment/jobs/current',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'The job that runs, or the one that ended last',
        params: sessionParams,
        response: { 200: environmentCellsBody },
      },
    },
    async (request) => environmentAnswer(sessionOf(services, request.params.session_id)),
  );

  app.delete(
    '/v1/notebooks/:session_id/environment/jobs/current',
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'Cancel the job that runs; the environment goes back to what it was',
        params: sessionParams,
        response: { 200: environmentCellsBody.extend({ cancelled: z.boolean() }) },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const cancelled = session.environment.cancel();
      await session.environment.rest(0);
      return { cancelled, ...environmentAnswer(session) };
    },
  );

  app.post(
    '/v1/notebooks/:session_id/environment/jobs',
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'Start a job; its progress is told over the socket',
        params: sessionParams,
        body: jobRequest,
        response: { 202: acceptedJobBody, 400: detailBody, 409: detailObjectBody },
      },
    },
    async (request, reply) => {
      const session = sessionOf(services, request.params.session_id);
      const { wait, ...asked } = request.body;
      const wanted = await readJobRequest(asked, session.live.directory, r);
      if (wait) session.jobQueue.ask(wanted);
      else session.startJob(wanted);
      return reply.code(202).send({ accepted: true as const, ...environmentAnswer(session) });
    },
  );

  app.delete(
    '/v1/notebooks/:session_id/environment/jobs/queue/:job_id',
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'Take back a job that waits',
        params: sessionParams.extend({ job_id: z.string() }),
        response: { 200: environmentCellsBody, 404: detailBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      if (!session.jobQueue.takeBack(request.params.job_id)) throw refusals.jobWaitsNoMore();
      return environmentAnswer(session);
    },
  );

  app.put(
    '/v1/notebooks/:session_id/python-version',
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'Change the version of Python; the environment is built anew in the background',
        params: sessionParams,
        body: z.object({ python_version: pythonVersion }),
        response: { 200: unchangedPythonBody, 202: acceptedJobBody, 400: detailBody, 409: detailObjectBody },
      },
    },
    async (request, reply) => {
      const session = sessionOf(services, request.params.session_id);
      const version = request.body.python_version;
      const offered = (await pythons((python) => python.version === version)).map((python) => python.version);
      if (!offered.includes(version)) throw refusals.pythonNotOffered(version, offered);
      // Which version it has in the end is known when the job is over.
      if (session.environment.isBusy()) throw refusals.environmentBusy(session.environment.job());
      const { requested_python_version, python_version } = session.environment.state();
      if (requested_python_version === version && python_version.startsWith(`${version}.`)) {
        const reason = 'already_at_requested_version' as const;
        return reply.code(200).send({ accepted: false as const, reason, ...environmentAnswer(session) });
      }
      session.startJob({ action: 'change_python', version });
      return reply.code(202).send({ accepted: true as const, ...environmentAnswer(session) });
    },
  );
}

/** What there is to install, and what R has. */
function packageRoutes(app: App, services: Services): void {
  app.post(
    '/v1/notebooks/:session_id/environment/index',
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'The versions of a package at the index that this server installs from',
        params: sessionParams,
        body: z.object({ name: z.string().max(maxRequirementCharacters) }),
        response: { 200: indexedPackageBody, 400: detailBody, 404: detailBody, 502: detailBody },
      },
    },
    async (request) => {
      const { environment } = sessionOf(services, request.params.session_id);
      const { name } = request.body;
      if (!isPackageName(name))
        throw refusals.environmentRequest(`${JSON.stringify(name)} is not the name of a package`);
      return findPackage(name, environment.state().requested_python_version);
    },
  );

  app.get(
    '/v1/notebooks/:session_id/r-packages',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'The packages in the R library of the notebook',
        params: sessionParams,
        response: { 200: rPackagesBody },
      },
    },
    async (request) => sessionOf(services, request.params.session_id).environment.rPackages(),
  );
}
