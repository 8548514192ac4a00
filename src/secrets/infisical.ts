// Asks Infisical for the secrets of a project. The address and the identity are the operator's and come from the process
// environment; a notebook says which project, and never where.
import { z } from 'zod';

export interface SecretsConfig {
  readonly provider?: string | undefined;
  readonly project_id?: string | undefined;
  readonly environment?: string | undefined;
  readonly path?: string | undefined;
  readonly base_url?: string | undefined;
}

/** Why there are no secrets, in words that hold none. */
export class SecretsUnavailable extends Error {
  override name = 'SecretsUnavailable';
}

type Variables = Readonly<Record<string, string | undefined>>;

const publicHost = 'https://app.infisical.com';
const timeoutMs = 20_000;

const loginBody = z.object({ accessToken: z.string() });
const secretsBody = z.object({ secrets: z.array(z.object({ secretKey: z.string(), secretValue: z.string() })) });

export async function fetchSecrets(config: SecretsConfig, variables: Variables): Promise<Record<string, string>> {
  if (config.provider !== 'infisical')
    throw new SecretsUnavailable(`Unknown secret provider: '${config.provider ?? ''}'`);
  const host = trimmed(variables.INFISICAL_HOST || publicHost);
  if (config.base_url !== undefined && trimmed(config.base_url) !== host)
    throw new SecretsUnavailable(
      'base_url is not the secret manager of this server; leave it out or ask its operator.',
    );
  const project = config.project_id || variables.INFISICAL_PROJECT_ID;
  if (!project) throw new SecretsUnavailable('The secret manager needs a project_id.');
  const token = await tokenOf(host, variables);
  const query = new URLSearchParams({
    workspaceId: project,
    environment: config.environment || variables.INFISICAL_ENVIRONMENT || 'dev',
    secretPath: config.path || variables.INFISICAL_PATH || '/',
    viewSecretValue: 'true',
    expandSecretReferences: 'true',
    recursive: 'false',
    include_imports: 'true',
  });
  const { secrets } = await asked(`${host}/api/v3/secrets/raw?${query}`, secretsBody, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
  });
  return Object.fromEntries(secrets.map(({ secretKey, secretValue }) => [secretKey, secretValue]));
}

async function tokenOf(host: string, variables: Variables): Promise<string> {
  const { INFISICAL_CLIENT_ID: clientId, INFISICAL_CLIENT_SECRET: clientSecret, INFISICAL_TOKEN: token } = variables;
  if (clientId && clientSecret) {
    const { accessToken } = await asked(`${host}/api/v1/auth/universal-auth/login`, loginBody, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ clientId, clientSecret }),
    });
    return accessToken;
  }
  if (token) return token;
  throw new SecretsUnavailable(
    'The server has no identity for the secret manager: set INFISICAL_CLIENT_ID and INFISICAL_CLIENT_SECRET, or INFISICAL_TOKEN.',
  );
}

async function asked<T>(address: string, schema: z.ZodType<T>, request: RequestInit): Promise<T> {
  const { pathname } = new URL(address);
  try {
    const answer = await fetch(address, { ...request, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    if (!answer.ok) throw new SecretsUnavailable(`The secret manager answered ${answer.status} to ${pathname}`);
    return schema.parse(await answer.json());
  } catch (error) {
    if (error instanceof SecretsUnavailable) throw error;
    if (error instanceof z.ZodError || error instanceof SyntaxError)
      throw new SecretsUnavailable(`The secret manager answered ${pathname} in a shape that is not known.`);
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    throw new SecretsUnavailable(
      isLate
        ? `The secret manager did not answer within ${timeoutMs / 1000} seconds.`
        : 'The secret manager could not be reached.',
    );
  }
}

const trimmed = (host: string): string => host.replace(/\/+$/, '');
