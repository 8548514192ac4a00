// The API reference as one plain page, drawn on the server from the OpenAPI document: readable without scripts, fit for
// printing and for reading by machines.
import { z } from 'zod';
import { escapeMarkup as text } from '../../escapeMarkup.ts';
import { renderSchema } from './referenceSchema.ts';

const content = z.record(z.string(), z.looseObject({ schema: z.unknown() }));

const operationShape = z.looseObject({
  summary: z.string().optional(),
  description: z.string().optional(),
  tags: z.array(z.string()).default(['other']),
  parameters: z
    .array(
      z.looseObject({ name: z.string(), in: z.string(), required: z.boolean().default(false), schema: z.unknown() }),
    )
    .default([]),
  requestBody: z.looseObject({ content }).optional(),
  responses: z.record(z.string(), z.looseObject({ description: z.string().default(''), content: content.optional() })),
});

const documentShape = z.looseObject({
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), operationShape)).default({}),
});

interface Operation extends z.infer<typeof operationShape> {
  readonly method: string;
  readonly path: string;
}

export function renderReference(document: unknown, base: string): string {
  const { info, paths } = documentShape.parse(document);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): Operation => ({ ...operation, method: method.toUpperCase(), path }),
    ),
  );
  const groups = Map.groupBy(operations, (operation) => operation.tags[0] ?? 'other');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(info.title)} API reference</title>
<style>${styles}</style>
</head>
<body>
<nav aria-label="Operations">
<h1>${text(info.title)} <small>${text(info.version)}</small></h1>
<p><a href="${text(base)}/docs">Try it out</a> · <a href="${text(base)}/openapi.json">openapi.json</a></p>
${[...groups].map(([tag, members]) => `<h2>${text(tag)}</h2><ul>${members.map(renderLink).join('')}</ul>`).join('\n')}
</nav>
<main>
${[...groups].map(([tag, members]) => `<h2>${text(tag)}</h2>${members.map(renderOperation).join('')}`).join('\n')}
</main>
</body>
</html>
`;
}

const anchor = ({ method, path }: Operation): string => `${method}-${path}`.replace(/[^A-Za-z0-9]+/g, '-');

const renderLink = (operation: Operation): string =>
  `<li><a href="#${anchor(operation)}"><b>${operation.method}</b> ${text(operation.path)}</a></li>`;

function renderOperation(operation: Operation): string {
  const { method, path, summary, parameters, requestBody, responses } = operation;
  const rows = parameters.map(
    (parameter) =>
      `<tr><td><code>${text(parameter.name)}</code></td><td>${parameter.in}${parameter.required ? ', required' : ''}</td><td>${renderSchema(parameter.schema)}</td></tr>`,
  );
  return `<section id="${anchor(operation)}">
<h3><b class="${method.toLowerCase()}">${method}</b> <code>${text(path)}</code></h3>
${summary === undefined ? '' : `<p>${text(summary)}</p>`}
${rows.length === 0 ? '' : `<h4>Parameters</h4><table>${rows.join('')}</table>`}
${requestBody === undefined ? '' : `<h4>Body</h4>${renderContent(requestBody.content)}`}
<h4>Answers</h4>
<dl>${Object.entries(responses)
    .map(
      ([status, answer]) =>
        `<dt><code>${status}</code> ${text(answer.description)}</dt><dd>${renderContent(answer.content ?? {})}</dd>`,
    )
    .join('')}</dl>
</section>`;
}

const renderContent = (bodies: z.infer<typeof content>): string =>
  Object.entries(bodies)
    .map(
      ([type, { schema }]) => `<details><summary>${text(type)}</summary><pre>${renderSchema(schema)}</pre></details>`,
    )
    .join('');

const styles = `
:root { color-scheme: light dark; --line: light-dark(#e4e3df, #2f2e2b); --soft: light-dark(#5b5a55, #b0aea7); --accent: light-dark(#2f5fd0, #7ea2ff); }
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: minmax(220px, 320px) 1fr; font: 14px/1.5 system-ui, sans-serif; background: light-dark(#fbfbfa, #161615); color: light-dark(#1d1d1b, #ecebe7); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 16px; border-right: 1px solid var(--line); }
nav ul { list-style: none; padding: 0; } nav li { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
a { color: var(--accent); text-decoration: none; } a:hover, a:focus-visible { text-decoration: underline; }
h1 { font-size: 20px; margin: 0; } h1 small { color: var(--soft); font-weight: 400; }
h2 { font-size: 12px; text-transform: uppercase; letter-spacing: .06em; color: var(--soft); }
main { padding: 16px 32px; max-width: 900px; min-width: 0; }
section { border-top: 1px solid var(--line); padding: 8px 0 16px; }
h3 { font-size: 15px; margin: 8px 0; overflow-wrap: anywhere; } h4 { margin: 12px 0 4px; }
table { border-collapse: collapse; } td { padding: 2px 16px 2px 0; vertical-align: top; overflow-wrap: anywhere; }
p, dt, dd { overflow-wrap: anywhere; }
dt { margin-top: 4px; color: var(--soft); } dd { margin: 0 0 0 16px; }
pre { overflow: auto; padding: 8px 12px; border: 1px solid var(--line); border-radius: 6px; }
@media (max-width: 700px) { body { display: block; } nav { position: static; height: auto; border: 0; } main { padding: 16px; } }
`;
