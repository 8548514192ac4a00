// People at a browser sign in with a key of this server; programs send theirs with every request.
import type { FastifyRequest } from 'fastify';
import { refusals } from '../../errors/index.ts';
import { type Caller, signInCookie } from '../../identity/index.ts';
import { detailBody, detailObjectBody, type SignInBody, signInBody, signInRequest } from '../../protocol/index.ts';
import { open } from '../access.ts';
import { headerValues } from '../headers.ts';
import type { App, Services } from '../services.ts';

const tags = ['identity'];
const methods = { none: 'none', api_key: 'api_key', trusted_proxy: 'proxy' } as const;

export function signInRoutes(app: App, { settings, authenticate }: Services): void {
  const answerFor = (caller: Caller | undefined): SignInBody => ({
    method: methods[settings.authMode],
    url: settings.signInUrl,
    principal: caller?.principal ?? null,
    scopes: settings.authMode === 'none' ? null : [...(caller?.scopes ?? [])].sort(),
    writes: settings.deploymentMode === 'personal' || settings.serviceWritesEnabled,
  });

  async function callerOf(header: (name: string) => readonly string[]): Promise<Caller | undefined> {
    const found = await authenticate({ runTokenReach: undefined, sessionId: undefined, header });
    return 'caller' in found ? found.caller : undefined;
  }

  const sent = (request: FastifyRequest) => (name: string) => headerValues(request.raw.rawHeaders, name);

  app.get(
    '/v1/sign-in',
    {
      config: open('sign-in'),
      schema: { tags, summary: 'How people sign in here, and who is signed in', response: { 200: signInBody } },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return answerFor(await callerOf(sent(request)));
    },
  );

  app.post(
    '/v1/sign-in',
    {
      config: open('sign-in'),
      schema: {
        tags,
        summary: 'Sign in with an API key: a cookie that scripts do not see carries it from then on',
        body: signInRequest,
        response: { 200: signInBody, 401: detailBody, 409: detailObjectBody },
      },
    },
    async (request, reply) => {
      if (settings.authMode !== 'api_key') throw refusals.noKeysHere();
      const { api_key: key } = request.body;
      const caller = await callerOf((name) => (name === 'authorization' ? [`Bearer ${key}`] : []));
      if (!caller) throw refusals.keyUnknown();
      reply.header('set-cookie', signInCookie(key, settings)).header('cache-control', 'no-store');
      return answerFor(caller);
    },
  );

  app.delete(
    '/v1/sign-in',
    {
      config: open('sign-in'),
      schema: {
        tags,
        summary: 'Sign out: the cookie is taken back, the key stays valid',
        response: { 200: signInBody },
      },
    },
    async (_request, reply) => {
      reply.header('set-cookie', signInCookie(null, settings));
      return answerFor(undefined);
    },
  );
}
