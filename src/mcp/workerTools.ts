// Tools about where cells run. Whether a notebook may define workers is the server's rule.
import { z } from 'zod';
import { usualWorkerPort, type WorkerDesk, type WorkerListView } from '../desk/index.ts';
import { workerSpec } from '../protocol/index.ts';
import type { AgentServices } from './services.ts';
import { session, type Tool, tool } from './tool.ts';

const name = workerSpec.shape.name;

async function changed(
  services: AgentServices,
  sessionId: string,
  change: (workers: WorkerDesk) => Promise<void>,
): Promise<WorkerListView> {
  const workers = services.workers(sessionId);
  await change(workers);
  services.tell(sessionId);
  return workers.view();
}

export const workerTools: readonly Tool[] = [
  tool('list_workers', {
    title: 'List workers',
    description:
      'The machines that cells may run on, which one is the default, and whether a notebook may define some.',
    scope: 'notebook:read',
    input: z.object(session),
    run: (services, { session_id }) => services.workers(session_id).view(),
  }),
  tool('add_worker', {
    title: 'Define a worker',
    description:
      'Defines a worker in the notebook, or replaces the one of that name. token_env names the variable of the server’s environment that holds its token.',
    scope: 'notebook:write',
    input: z.object({
      ...session,
      name,
      url: z.url({ protocol: /^https?$/ }).max(2048),
      transport: z.enum(['direct', 'signed']).default('direct'),
      runtime_id: z.string().min(1).max(255).nullable().default(null),
      token_env: z
        .string()
        .max(255)
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
        .nullable()
        .default(null),
      environment: z
        .enum(['auto', 'locked', 'own'])
        .default('auto')
        .describe("locked: the notebook's environment; own: the worker's; auto: the notebook's where it can be had"),
      set_default: z.boolean().default(false),
    }),
    run: (services, { session_id, name, url, transport, runtime_id, token_env, environment, set_default }) =>
      changed(services, session_id, async (workers) => {
        const config = {
          url,
          transport,
          ...(token_env === null ? {} : { token_env }),
          ...(environment === 'auto' ? {} : { environment }),
        };
        await workers.define({ name, backend: 'executor', runtime_id, config });
        if (set_default) await workers.choose(name);
      }),
  }),
  tool('set_default_worker', {
    title: 'Choose the default worker',
    description: 'Where cells run that name no worker; null or local is the machine of the server.',
    scope: 'notebook:write',
    input: z.object({ ...session, name: name.nullable().default(null) }),
    run: (services, { session_id, name }) =>
      changed(services, session_id, (workers) => workers.choose(name === 'local' ? null : name)),
  }),
  tool('remove_worker', {
    title: 'Remove a worker',
    description: 'Takes a worker out of the notebook. Cells that name it no longer run until they name another.',
    scope: 'notebook:write',
    destructive: true,
    input: z.object({ ...session, name }),
    run: (services, { session_id, name }) => changed(services, session_id, (workers) => workers.remove(name)),
  }),
  tool('connect_ssh_worker', {
    title: 'Start a worker over ssh',
    description:
      'Starts a worker on a machine that the server reaches over ssh without being asked for anything, and defines it in the notebook. A machine without svc-worker is brought one, unless install is false.',
    scope: 'notebook:execute',
    input: z.object({
      ...session,
      ssh_target: z.string().min(1).max(255).describe('host or user@host, as ssh takes it'),
      name: name.nullable().default(null),
      set_default: z.boolean().default(true),
      install: z.boolean().default(true),
    }),
    run: async (services, { session_id, ssh_target: target, name, set_default: isDefault, install }) => {
      const workers = services.workers(session_id);
      const wish = { target, name, isDefault, remotePort: usualWorkerPort, localPort: null, install, pin: null };
      const worker = await workers.connect(wish);
      services.tell(session_id);
      return { worker, ...(await workers.view()) };
    },
  }),
  tool('disconnect_ssh_worker', {
    title: 'Disconnect a worker behind ssh',
    description: 'Closes the tunnel and takes the worker out of the notebook; stop_remote ends it there too.',
    scope: 'notebook:write',
    destructive: true,
    input: z.object({ ...session, name, stop_remote: z.boolean().default(false) }),
    run: async (services, { session_id, name, stop_remote: stopRemote }) => {
      const workers = services.workers(session_id);
      const torn_down = await workers.disconnect(name, { stopRemote });
      services.tell(session_id);
      return { torn_down, ...(await workers.view()) };
    },
  }),
];
