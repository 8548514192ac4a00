// Refusals about environments of notebooks.
import { Refusal } from './refusal.ts';

export const environmentRefusals = {
  environmentBusy: (
    job: object | null,
    message = 'The environment of this notebook is being prepared. Wait for its job to finish.',
  ) => new Refusal('conflict', { message, code: 'ENVIRONMENT_BUSY', environment_job: job }),

  environmentFailed: (message: string, log: object) => new Refusal('invalid', { message, operation_log: log }),

  environmentRequest: (reason: string) => new Refusal('invalid', reason),

  tooManyJobsWait: (count: number) =>
    new Refusal('conflict', {
      message: `${count} changes of the environment wait already. Take one back, or wait until some are done.`,
      code: 'ENVIRONMENT_QUEUE_FULL',
    }),

  jobWaitsNoMore: () => new Refusal('not_found', 'This change does not wait: it has begun, or somebody took it back.'),

  pythonNotOffered: (version: string, offered: readonly string[]) =>
    new Refusal('invalid', `Python ${version} is not available for this deployment (allowed: ${offered.join(', ')})`),

  packageNotIndexed: (name: string, places: readonly string[]) =>
    new Refusal(
      'not_found',
      `There is no package called ${name} at ${places.join(' or ')}. An index is asked for exact names: check the spelling.`,
    ),

  indexUnreachable: (place: string, reason: string) =>
    new Refusal(
      'upstream',
      `The package index at ${place} cannot be asked: ${reason}. Check the network and the index settings (UV_INDEX, UV_DEFAULT_INDEX), then try again.`,
    ),

  indexOffline: () =>
    new Refusal(
      'upstream',
      'This server works offline (UV_OFFLINE): no package index is asked. What is in its cache can be added by name.',
    ),
};
