// What notebooks share with the world around them: named credentials, mounts, the team store, prompt models.

import { atLeast, choice, flag, integer, jsonObject, path, positive, text, url } from '../kinds/index.ts';
import { besideNotebooks, fixed, optional, setting, unset, unsetMeans } from '../row.ts';
import {
  credentialPathsSchema,
  credentialReadCostSchema,
  credentialWritersSchema,
  mountCredentialsSchema,
  namedCredentialsSchema,
} from '../schemas/credentials.ts';
import { headersSchema } from '../schemas/headers.ts';

const named = { named: true };

export const credentialRows = {
  notebookCredentials: setting(
    jsonObject('a JSON object {name: {field: value}}', namedCredentialsSchema, named),
    fixed({}),
    'Credentials that mounts, connections and catalogs refer to by name; a value is literal, or refers to a variable or to a file.',
    { secret: true },
  ),
  notebookMountCredentials: setting(
    jsonObject('a JSON object {scheme: name}', mountCredentialsSchema, named),
    fixed({}),
    'Credential of mounts that name none, by scheme.',
  ),
  notebookCredentialPaths: setting(
    jsonObject('a JSON object {name: [directories]}', credentialPathsSchema, named),
    fixed({}),
    'Directories whose notebooks may use a credential; a credential not listed is free to all.',
  ),
  notebookCredentialWriters: optional(
    jsonObject('a JSON object {name: [principals]}', credentialWritersSchema, named),
    unsetMeans('unset (all may write)'),
    'Principals (globs) who may write with a credential; once set, even to {}, a credential not listed is read-only.',
  ),
  notebookCredentialReadCost: setting(
    jsonObject('a JSON object {name: dollars}', credentialReadCostSchema, named),
    fixed({}),
    'Dollars that a gigabyte (10⁹ bytes) costs when it is read with a credential; one not listed costs nothing.',
  ),
};

export const mountRows = {
  notebookMountCacheDir: setting(
    path(),
    besideNotebooks('mount_cache'),
    'Directory of cached remote read-only mounts.',
  ),
  notebookMountCacheMaxBytes: setting(
    integer(0),
    fixed(21_474_836_480),
    'Above this size the least recently used mounts are removed; 0 never.',
  ),
  notebookMountCacheMaxIdleDays: setting(
    atLeast(0),
    fixed(30),
    'A cached mount unused for this long is removed; 0 never.',
  ),
};

export const teamStoreRows = {
  notebookRemoteStoreUrl: optional(
    url(),
    unset,
    'Shared store that answers for the registry, names and team cache; never this server itself.',
  ),
  notebookRemoteStoreHeaders: setting(
    jsonObject('a JSON object {header: value}', headersSchema, named),
    fixed({}),
    'Headers sent to the shared store.',
    { secret: true },
  ),
  notebookRemoteStoreForwardPrincipal: setting(
    flag(),
    fixed(true),
    "Send the caller's principal to the shared store in place of the configured one.",
  ),
  notebookTeamCacheEnabled: setting(
    flag(),
    fixed(false),
    'Look in the shared store before running a cell; needs SVC_NOTEBOOK_REMOTE_STORE_URL.',
  ),
  notebookTeamCachePublish: setting(
    choice('all', 'promoted', 'off'),
    fixed('all'),
    'Which results are shared: all, only promoted ones, or none (which stops reading too).',
  ),
};

export const aiRows = {
  aiBaseUrl: optional(url(), unset, 'OpenAI-compatible address for prompt cells.'),
  aiModel: optional(text(), unset, 'Model for prompt cells.'),
  aiApiKey: optional(
    text(),
    unset,
    'Key for prompt cells; sent only to SVC_AI_BASE_URL, or to OpenAI where that is unset.',
    { secret: true },
  ),
  aiMaxOutputTokens: setting(integer(1), fixed(4096), 'Tokens a prompt cell may write.'),
  aiTimeoutSeconds: setting(positive(), fixed(60), 'Seconds a prompt cell waits for the model.'),
};
