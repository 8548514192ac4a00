// The environment that a secret manager gives to a notebook: asked on open and whenever somebody asks again. Without an
// answer the notebook keeps what it had, and says why.
import { fetchSecrets, SecretsUnavailable } from '../../secrets/index.ts';
import { type FetchedEnv, type Notebook, nothingFetched } from '../document/index.ts';

export async function fetchEnv(
  { secretManager, fetched }: Pick<Notebook, 'secretManager' | 'fetched'>,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<FetchedEnv> {
  if (Object.keys(secretManager).length === 0) return nothingFetched;
  const at = new Date().toISOString();
  try {
    return { env: await fetchSecrets(secretManager, variables), error: null, at };
  } catch (error) {
    if (error instanceof SecretsUnavailable) return { ...fetched, error: error.message, at };
    throw error;
  }
}
