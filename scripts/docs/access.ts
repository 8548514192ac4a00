// `docs/access.md`: who may ask for what, as routes, frames and tools declare it. `node scripts/docs/access.ts` prints it.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Access, DeclaredRoute } from '../../src/http/access.ts';
import { createApp } from '../../src/http/app.ts';
import { scopes } from '../../src/identity/index.ts';
import { tools } from '../../src/mcp/tools.ts';
import { frameScopes } from '../../src/protocol/index.ts';
import { createServices } from '../../src/server/index.ts';
import { loadSettings } from '../../src/settings/index.ts';
import { socketScope } from '../../src/ws/upgrade.ts';

/** Of the whole application, which is made for the purpose and serves nobody. */
export async function declaredRoutes(): Promise<readonly DeclaredRoute[]> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-access-'));
  const { settings } = loadSettings({
    env: { HOME: home, SVC_LOG_LEVEL: 'CRITICAL', SVC_MCP_ENABLED: 'true' },
    cwd: home,
  });
  const services = await createServices(settings);
  const app = createApp(services);
  try {
    await app.ready();
    return [...app.declaredRoutes];
  } finally {
    await app.close();
    await services.close();
    fs.rmSync(home, { recursive: true, force: true });
  }
}

/** `HEAD` asks for what `GET` does, and is left out. */
export function accessReference(routes: readonly DeclaredRoute[]): string {
  const shown = routes.filter(({ method }) => method !== 'HEAD').map((route) => ({ ...route, group: groupOf(route) }));
  const groups = ['no identity', 'any caller', ...scopes];
  const sections = groups.flatMap((group) => {
    const rows = shown.filter((route) => route.group === group).map(rowOf);
    return rows.length === 0 ? [] : [`### ${titleOf(group)}\n\n| Route | |\n|---|---|\n${rows.sort().join('\n')}\n`];
  });
  const frames = Object.entries<string>({ 'the upgrade itself': socketScope, ...frameScopes });
  const named = tools.map(({ name, scope }): [string, string] => [name, scope]);
  return `# Who may ask for what

Written by \`node scripts/docs/access.ts > docs/access.md\` from what routes, frames and tools declare beside themselves; a test
compares. It holds under principal auth; in personal mode nobody is asked. \`admin:*\` holds every scope.

## Routes

${sections.join('\n')}
## Frames of \`/v1/notebooks/ws/{session_id}\`

${byScope(frames)}
## Tools of \`/mcp\`

${byScope(named)}`;
}

const groupOf = ({ access }: DeclaredRoute): string =>
  access.open === undefined ? (access.scope ?? 'any caller') : 'no identity';

const titleOf = (group: string): string =>
  group === 'no identity' ? 'No identity' : group === 'any caller' ? 'Any caller with an identity' : `\`${group}\``;

const rowOf = ({ method, url, access }: DeclaredRoute): string =>
  `| \`${method} ${url.replace(/:(\w+)/g, '{$1}')}\` | ${remarks(access).join('; ')} |`;

const remarks = ({ open, personalOnly, runToken, unlimited, besides }: Access): string[] => [
  ...(open === 'signed' ? ['by a signed address; otherwise any caller'] : []),
  ...(open === 'published' ? ['publications are for everybody'] : []),
  ...(open === 'sign-in' ? ['whoever signs in is nobody yet'] : []),
  ...(personalOnly === undefined ? [] : ['personal mode only']),
  ...(runToken === 'anywhere' ? ['a cell’s run token too'] : []),
  ...(runToken === 'own session' ? ['a cell’s run token too, in its own session'] : []),
  ...(unlimited ? ['not counted by the rate limiter'] : []),
  ...(besides === undefined ? [] : [besides]),
];

function byScope(entries: readonly (readonly [name: string, scope: string])[]): string {
  const rows = scopes.flatMap((scope) => {
    const names = entries.filter(([, own]) => own === scope).map(([name]) => name);
    return names.length === 0 ? [] : [`| \`${scope}\` | ${names.join(', ')} |`];
  });
  return `| Scope | |\n|---|---|\n${rows.join('\n')}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(accessReference(await declaredRoutes()));
