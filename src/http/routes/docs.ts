// Browsable documentation of the API: `/openapi.json`, an interactive page at `/docs`, a plain reference at `/redoc`.
// Everything they show comes from this server.
import { createRequire } from 'node:module';
import path from 'node:path';
import { refusals } from '../../errors/index.ts';
import { anyCaller } from '../access.ts';
import type { OpenApiDocument } from '../plugins/openapiDocument.ts';
import type { App, Services } from '../services.ts';
import { renderReference } from './reference.ts';
import { readStatic, sendStatic } from './web.ts';

const interactiveFiles = ['swagger-ui.css', 'swagger-ui-bundle.js'];
const policy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self'; object-src 'none'";

export function docsRoutes(app: App, { settings }: Services, describe: () => Promise<OpenApiDocument>): void {
  const base = settings.publicBasePath;
  app.get('/openapi.json', { config: anyCaller(), schema: { hide: true } }, async () => describe());

  app.get('/docs', { config: anyCaller(), schema: { hide: true } }, async (_request, reply) => {
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8');
    return interactivePage(base);
  });

  app.get('/docs/start.js', { config: anyCaller(), schema: { hide: true } }, async (_request, reply) => {
    reply.type('text/javascript; charset=utf-8');
    return `SwaggerUIBundle({ url: ${JSON.stringify(`${base}/openapi.json`)}, dom_id: '#docs', deepLinking: true, validatorUrl: null });\n`;
  });

  app.get('/docs/assets/:file', { config: anyCaller(), schema: { hide: true } }, async (request, reply) => {
    const name = interactiveFiles.find((file) => file === fileOf(request.params));
    if (name === undefined) throw refusals.fileNotFound();
    const folder = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
    return sendStatic(reply, readStatic(path.join(folder, name), false), request.headers['if-none-match']);
  });

  app.get('/redoc', { config: anyCaller(), schema: { hide: true } }, async (_request, reply) => {
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8');
    return renderReference(await describe(), base);
  });
}

const interactivePage = (base: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc API</title>
<link rel="stylesheet" href="${base}/docs/assets/swagger-ui.css">
</head>
<body>
<div id="docs"></div>
<script src="${base}/docs/assets/swagger-ui-bundle.js"></script>
<script src="${base}/docs/start.js"></script>
</body>
</html>
`;

const fileOf = (params: unknown): string =>
  typeof params === 'object' && params !== null && 'file' in params ? String(params.file) : '';
