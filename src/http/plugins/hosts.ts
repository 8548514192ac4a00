// Which Host names this server answers to, so that a page elsewhere cannot reach it by rebinding its own name.
import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../../settings/index.ts';
import { answerPlain } from '../errors/answers.ts';
import type { Services } from '../services.ts';

export function checkHosts(app: FastifyInstance, { settings }: Services): void {
  const allowed = hostCheck(settings);
  if (!allowed) return;
  app.addHook('onRequest', (request, reply, done) => {
    const host = request.headers.host;
    if (allowed(host)) return done();
    answerPlain(reply, 400, `Host '${host}' is not allowed. Add its name to SVC_ALLOWED_HOSTS to serve it.`);
  });
}

/** Undefined when every host is served: service mode without a list, or `*`. */
export function hostCheck(settings: Settings): ((host: string | undefined) => boolean) | undefined {
  const listed = settings.allowedHosts.map((name) => name.toLowerCase());
  if (listed.includes('*') || (settings.deploymentMode === 'service' && listed.length === 0)) return undefined;
  const names = new Set(['localhost', settings.host.toLowerCase(), ...listed.filter((name) => !name.startsWith('.'))]);
  const suffixes = listed.filter((name) => name.startsWith('.'));
  return (host) => {
    if (host === undefined) return true;
    const name = nameOf(host);
    return isIP(name) !== 0 || names.has(name) || suffixes.some((suffix) => name.endsWith(suffix));
  };
}

/** Without port, brackets or a final dot, in lower case. */
function nameOf(host: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(host);
  const name = bracketed?.[1] ?? host.replace(/:\d*$/, '');
  return name.replace(/\.$/, '').toLowerCase();
}
