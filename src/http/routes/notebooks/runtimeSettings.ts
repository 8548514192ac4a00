// What cells of a notebook run with: their default timeout, their environment variables and where secrets come from.
import { z } from 'zod';
import {
  envRecord,
  type OpenSession,
  secretManagerKeys,
  setAi,
  setEnv,
  setKeepsWidgets,
  setNotebookTimeout,
  setReactive,
  setSecretManager,
  setStrictPackages,
  shownAi,
  unmasked,
} from '../../../notebook/index.ts';
import { aiRecord, cellRecord, detailBody, detailObjectBody } from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { sessionOf, sessionParams } from './shared.ts';

const day = 86_400;

/** Names as every shell and every program takes them; a value of one line. */
const envRequest = z
  .record(z.string(), z.string())
  .transform((env) => Object.fromEntries(Object.entries(env).map(([name, value]) => [name.trim(), value])))
  .refine(
    (env) => Object.keys(env).every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)),
    'Names of environment variables are letters, digits and _, and do not begin with a digit',
  )
  .refine(
    (env) => Object.values(env).every((value) => !/[\0\r\n]/.test(value)),
    'Values of environment variables hold no line break and no NUL',
  );

const envAnswer = z.object({
  env: z.record(z.string(), z.string()),
  env_sources: z.record(z.string(), z.string()),
  env_fetch_error: z.string().nullable(),
  env_fetched_at: z.string().nullable(),
  secret_manager_config: z.record(z.string(), z.string()),
  cells: z.array(cellRecord),
});

export function runtimeSettingsRoutes(app: App, services: Services): void {
  const tags = ['notebooks'];
  const cells = z.array(cellRecord);

  app.put(
    '/v1/notebooks/:session_id/timeout',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'The default timeout of cells, in seconds; null restores the system’s',
        params: sessionParams,
        body: z.object({ timeout: z.number().gt(0).lte(day).nullable().default(null) }),
        response: { 200: z.object({ timeout: z.number().nullable(), cells }), 409: detailObjectBody },
      },
    },
    async (request) => {
      const { live, configure } = sessionOf(services, request.params.session_id);
      await configure((notebook) => setNotebookTimeout(notebook, request.body.timeout));
      return { timeout: live.notebook().timeout, cells: live.cellRecords() };
    },
  );

  app.put(
    '/v1/notebooks/:session_id/reactive',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Whether cells follow by themselves when something above them changes, as far as that is cheap',
        params: sessionParams,
        body: z.object({ reactive: z.boolean() }),
        response: { 200: z.object({ reactive: z.boolean(), cells }), 409: detailObjectBody },
      },
    },
    async (request) => {
      const { live, configure } = sessionOf(services, request.params.session_id);
      await configure((notebook) => setReactive(notebook, request.body.reactive));
      return { reactive: live.notebook().reactive, cells: live.cellRecords() };
    },
  );

  app.put(
    '/v1/notebooks/:session_id/keep-widgets',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Whether cells are kept for their widgets as soon as somebody uses one',
        params: sessionParams,
        body: z.object({ keep_widgets: z.boolean() }),
        response: { 200: z.object({ keep_widgets: z.boolean(), cells }), 409: detailObjectBody },
      },
    },
    async (request) => {
      const { live, configure } = sessionOf(services, request.params.session_id);
      await configure((notebook) => setKeepsWidgets(notebook, request.body.keep_widgets));
      return { keep_widgets: live.notebook().keepsWidgets, cells: live.cellRecords() };
    },
  );

  app.put(
    '/v1/notebooks/:session_id/strict-packages',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Whether a change of packages makes every Python cell stale, also those that could not notice it',
        params: sessionParams,
        body: z.object({ strict_packages: z.boolean() }),
        response: { 200: z.object({ strict_packages: z.boolean(), cells }), 409: detailObjectBody },
      },
    },
    async (request) => {
      const { live, configure } = sessionOf(services, request.params.session_id);
      await configure((notebook) => setStrictPackages(notebook, request.body.strict_packages));
      return { strict_packages: live.notebook().strictPackages, cells: live.cellRecords() };
    },
  );

  modelRoutes(app, services);

  app.put(
    '/v1/notebooks/:session_id/env',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Replace the environment variables of a notebook; a masked value keeps what is there',
        params: sessionParams,
        body: z.object({ env: envRequest.default({}) }),
        response: { 200: envAnswer, 400: detailBody, 409: detailObjectBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      await session.configure((notebook) => setEnv(notebook, unmasked(request.body.env, notebook.env)));
      return answerOf(session);
    },
  );

  app.put(
    '/v1/notebooks/:session_id/secret-manager/config',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Which secrets the notebook takes from the secret manager; nothing at all removes the block',
        params: sessionParams,
        body: z.object(
          Object.fromEntries(secretManagerKeys.map((key) => [key, z.string().nullable().default(null)] as const)),
        ),
        response: { 200: envAnswer, 409: detailObjectBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const given = Object.entries(request.body).filter(([, value]) => value !== null && value !== '');
      await session.configure((notebook) => setSecretManager(notebook, Object.fromEntries(given)));
      await session.fetchEnv();
      return answerOf(session);
    },
  );

  app.post(
    '/v1/notebooks/:session_id/secret-manager/refresh',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Ask the secret manager again; a failure is told in env_fetch_error',
        params: sessionParams,
        response: { 200: envAnswer },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      await session.fetchEnv();
      return answerOf(session);
    },
  );
}

/** An address that is written down for everybody who reads the notebook. */
const modelAddress = z
  .string()
  .max(2000)
  .refine(
    (text) => /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).password === '',
    'Write an address such as https://models.example/v1, without a password',
  );

function modelRoutes(app: App, services: Services): void {
  app.put(
    '/v1/notebooks/:session_id/ai',
    {
      config: needs('notebook:write'),
      schema: {
        tags: ['notebooks'],
        summary: 'The model that prompt cells and help ask, and where; null takes what the server offers',
        params: sessionParams,
        body: z.object({
          model: z.string().min(1).max(200).nullable().default(null),
          base_url: modelAddress.nullable().default(null),
        }),
        response: { 200: z.object({ ai: aiRecord.nullable(), cells: z.array(cellRecord) }), 409: detailObjectBody },
      },
    },
    async (request) => {
      const { live, configure } = sessionOf(services, request.params.session_id);
      await configure((notebook) => setAi(notebook, request.body));
      return { ai: shownAi(live.notebook()), cells: live.cellRecords() };
    },
  );
}

const answerOf = ({ live }: OpenSession) => ({ ...envRecord(live.notebook()), cells: live.cellRecords() });
