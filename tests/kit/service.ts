// Service-mode servers with each kind of identity, and the headers that their callers send.
import path from 'node:path';
import { type Environment, newHome, runSvc, startServer, type TestServer } from './server.ts';

export const proxyToken = 'proxy-secret-of-the-tests';

export const proxyEnvironment: Environment = {
  SVC_DEPLOYMENT_MODE: 'service',
  SVC_AUTH_MODE: 'trusted_proxy',
  SVC_PROXY_TOKEN: proxyToken,
};

export interface AssertedCaller {
  readonly principal: string;
  readonly scopes?: string;
  readonly tenant?: string;
}

/** The headers by which the trusted proxy vouches for a caller. */
export function asserted({ principal, scopes = '', tenant }: AssertedCaller): Record<string, string> {
  return {
    'x-svc-proxy-token': proxyToken,
    'x-svc-principal': principal,
    'x-svc-scopes': scopes,
    ...(tenant === undefined ? {} : { 'x-tenant-id': tenant }),
  };
}

export const startProxied = (env: Environment = {}): Promise<TestServer> =>
  startServer({ env: { ...proxyEnvironment, ...env } });

export interface KeyServer extends TestServer {
  /** Makes a key with the command line, beside the running server. */
  createKey(principal: string, ...options: string[]): Promise<string>;
  svc(...args: string[]): ReturnType<typeof runSvc>;
}

export async function startWithKeys(env: Environment = {}): Promise<KeyServer> {
  const home = newHome();
  const keyEnvironment: Environment = {
    SVC_DEPLOYMENT_MODE: 'service',
    SVC_AUTH_MODE: 'api_key',
    SVC_ARTIFACT_DIR: path.join(home, 'artifacts'),
    ...env,
  };
  const server = await startServer({ home, env: keyEnvironment });
  const svc = (...args: string[]): ReturnType<typeof runSvc> => runSvc(args, { home, env: keyEnvironment });
  return {
    ...server,
    svc,
    async createKey(principal, ...options) {
      const { code, stdout, stderr } = await svc('apikey', 'create', principal, ...options);
      if (code !== 0) throw new Error(`svc apikey create failed:\n${stderr}`);
      return stdout.trim();
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
