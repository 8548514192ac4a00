// The web app: its built files, and its page for every address that is not the API's.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { FastifyReply } from 'fastify';
import { webBuild } from '../../../scripts/setup/places.js';
import { refusals } from '../../errors/index.ts';
import { anyCaller, open } from '../access.ts';
import type { KnownPaths } from '../knownPaths.ts';
import { isOfPage, pathOf } from '../pagePaths.ts';
import type { App, Services } from '../services.ts';

interface StaticFile {
  readonly type: string;
  readonly body: Buffer;
  readonly etag: string;
  /** Named by its content, so it may be kept for ever. */
  readonly immutable: boolean;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

const pagePolicy =
  "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'self'";

/** What cells show as HTML runs in here: an origin of its own, scripts allowed, nothing reachable. Who may frame the app, frames it. */
const framePolicy =
  "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; " +
  "style-src 'unsafe-inline'; img-src data: blob:; font-src data:";

export function webRoutes(app: App, { settings }: Services, known: KnownPaths): void {
  // Only names that were found in the build can be asked for; no path of a request ever touches the disk.
  const files = new Map<string, StaticFile>();
  const load = (name: string): StaticFile | undefined => {
    const known = files.get(name);
    if (known) return known;
    const place = path.join(webBuild, name);
    // A newer build may have taken the place of the one that was listed.
    const file = listed().has(name) && fs.existsSync(place) ? readStatic(place, name.startsWith('assets/')) : undefined;
    if (file) files.set(name, file);
    return file;
  };

  /** The page finds its files and the API by its base, which is where a proxy serves it. */
  const loadPage = (): StaticFile | undefined => {
    const page = load('index.html');
    if (!page || settings.publicBasePath === '') return page;
    return {
      ...page,
      body: Buffer.from(page.body.toString().replace('<base href="/"', `<base href="${settings.publicBasePath}/"`)),
    };
  };

  // Whoever signs in is nobody yet.
  app.get('/assets/*', { config: open('sign-in'), schema: { hide: true } }, async (request, reply) => {
    const file = load(`assets/${wildcardOf(request.params)}`);
    if (!file) throw refusals.fileNotFound();
    return sendStatic(reply, file, request.headers['if-none-match']);
  });

  app.get('/output-frame', { config: anyCaller(), schema: { hide: true } }, async (request, reply) => {
    const file = load('outputFrame.html');
    if (!file) throw refusals.fileNotFound();
    reply.header('content-security-policy', framePolicy);
    return sendStatic(reply, file, request.headers['if-none-match']);
  });

  app.setNotFoundHandler(async (request, reply) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const page = isRead && isOfPage(request.url) ? loadPage() : undefined;
    if (!page) {
      const methods = known(pathOf(request.url));
      if (methods.length === 0) return reply.code(404).send({ detail: 'Not Found' });
      return reply.code(405).header('allow', methods.join(', ')).send({ detail: 'Method Not Allowed' });
    }
    reply.header('content-security-policy', pagePolicy);
    return sendStatic(reply, page, request.headers['if-none-match']);
  });
}

let names: ReadonlySet<string> | undefined;

function listed(): ReadonlySet<string> {
  names ??= new Set(
    fs.existsSync(webBuild)
      ? fs.readdirSync(webBuild, { recursive: true, encoding: 'utf8' }).map((name) => name.split(path.sep).join('/'))
      : [],
  );
  return names;
}

export function readStatic(file: string, immutable: boolean): StaticFile {
  const body = fs.readFileSync(file);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return { type: types[path.extname(file)] ?? 'application/octet-stream', body, etag, immutable };
}

export function sendStatic(reply: FastifyReply, file: StaticFile, ifNoneMatch: string | undefined): FastifyReply {
  reply.header('etag', file.etag);
  reply.header('cache-control', file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (ifNoneMatch === file.etag) return reply.code(304).send();
  return reply.type(file.type).send(file.body);
}

const wildcardOf = (params: unknown): string =>
  typeof params === 'object' && params !== null && '*' in params ? String(params['*']) : '';
