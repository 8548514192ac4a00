// A service of several tenants with something of everything in it that belongs to one of them, and the routes that lead there.
// Made by the same composition as `svc serve`, in this process: its route table and the tokens of its runs are at hand.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import type { DeclaredRoute } from '../../src/http/access.ts';
import { createApp } from '../../src/http/app.ts';
import { type Caller, createApiKeys, identified, type Scope } from '../../src/identity/index.ts';
import { createServices } from '../../src/server/index.ts';
import { loadSettings } from '../../src/settings/index.ts';
import { acceptUpgrades } from '../../src/ws/index.ts';
import { keep } from './artifacts.ts';
import { newHome } from './server.ts';
import { asserted, proxyEnvironment } from './service.ts';

export type Headers = Readonly<Record<string, string>>;

export interface ShortAnswer {
  readonly status: number;
  readonly text: string;
}

/** What a path of the route table is filled with. */
export type Values = Readonly<Record<string, string>>;

export interface Guarded extends AsyncDisposable {
  readonly address: string;
  readonly routes: readonly DeclaredRoute[];
  /** The things of the tenant `ours`, by the parameters that name them. */
  readonly ours: Values;
  /** Where files are written that cells read. */
  readonly work: string;
  /** Texts that nobody but `ours` may see. */
  readonly marks: readonly string[];
  headersOf(caller: { tenant: string; scopes: readonly Scope[] }): Promise<Headers>;
  /** The token of a run that somebody of `ours` began. */
  runToken(scopes: readonly Scope[]): { token: string; end: () => void };
  /** Sends the path as it is written: no client on the way makes it nicer. */
  send(method: string, place: string, headers?: Headers, body?: string): Promise<ShortAnswer>;
  /** Everything that a request could have changed. */
  world(): Promise<World>;
}

export interface World {
  /** By their places, each with the digest of what it holds. */
  readonly files: Readonly<Record<string, string>>;
  /** What lies beside notebooks and artifacts. */
  readonly beside: readonly string[][];
  readonly rows: Readonly<Record<string, unknown>>;
  readonly sessions: readonly object[];
  readonly credentials: object;
  readonly workers: readonly object[];
}

export const keyEnvironment = { SVC_DEPLOYMENT_MODE: 'service', SVC_AUTH_MODE: 'api_key' };
export const writableEnvironment = { ...proxyEnvironment, SVC_SERVICE_WRITES_ENABLED: 'true' };

export async function startGuarded(env: Readonly<Record<string, string>>): Promise<Guarded> {
  const home = newHome();
  const artifactDir = path.join(home, 'artifacts');
  const { settings } = loadSettings({
    env: {
      HOME: home,
      SVC_PORT: '0',
      SVC_LOG_LEVEL: 'CRITICAL',
      SVC_RATE_LIMIT_ENABLED: 'false',
      SVC_MULTI_TENANT_ENABLED: 'true',
      SVC_MCP_ENABLED: 'true',
      SVC_ARTIFACT_DIR: artifactDir,
      SVC_NOTEBOOK_STORAGE_DIR: path.join(home, 'notebooks'),
      ...env,
    },
    cwd: home,
  });
  fs.mkdirSync(path.join(home, 'notebooks/ours'), { recursive: true });
  fs.mkdirSync(path.join(home, 'notebooks/theirs'), { recursive: true });
  const services = await createServices(settings);
  const app = createApp(services);
  acceptUpgrades(app.server, services, services.hubs);
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  const { artifacts } = services;
  if (!artifacts) throw new Error('The service keeps no artifacts.');
  const { database } = artifacts.parts;
  const keys = createApiKeys(database);

  const owner: Caller = identified('ann', 'ours', []);
  const [python] = await services.pythons();
  if (!python) throw new Error('No Python was found.');
  const made = await services.sessions.create(
    path.join(home, 'notebooks/ours'),
    {
      name: 'Marked Notebook',
      pythonVersion: python.version,
      cells: [{ id: 'first', language: 'python', source: 'marked = 1' }],
    },
    owner,
  );
  // Its first environment is made meanwhile, and the world is to stand still: once closed, it is opened as it is.
  await services.sessions.close(made.sessionId, 'closed');
  const session = await services.sessions.open(made.live.directory, owner, { sync: false });
  const notebook = session.live.notebook();
  fs.writeFileSync(path.join(notebook.directory, 'marked.txt'), 'marked words');
  const stored = await keep(artifacts, 'marked bytes', { tenant: 'ours', name: 'marked/name' });
  const { id, version, provenanceHash, contentSha256 } = stored.version;
  const { token } = await artifacts.publications.publish({ tenant: 'ours', principal: 'ann' }, stored.version, {
    title: 'Marked Publication',
    authors: [],
    externalIds: [],
  });
  const ours: Values = {
    session_id: session.sessionId,
    cell_id: 'first',
    artifact_id: id,
    version: String(version),
    token: token ?? '',
    hash: provenanceHash ?? '',
    sha256: contentSha256 ?? '',
    tenant_id: 'ours',
    '/v1/names/*': 'marked/name',
    '/v1/artifacts/names/*': 'marked/name/status',
    '/v1/projects/*': `${notebook.directory.slice(1)}/release`,
    '/v1/notebooks/:session_id/files/*': 'marked.txt',
  };

  const known = new Map<string, Promise<Headers>>();
  async function makeHeaders(tenant: string, scopes: readonly Scope[]): Promise<Headers> {
    const principal = `${tenant}-caller`;
    if (settings.authMode === 'trusted_proxy') return asserted({ principal, scopes: scopes.join(' '), tenant });
    return { authorization: `Bearer ${(await keys.create({ principal, tenant, scopes })).key}` };
  }

  return {
    address,
    routes: app.declaredRoutes,
    ours,
    work: path.join(notebook.directory, 'work'),
    marks: [session.sessionId, id, 'marked', 'Marked', notebook.directory],
    headersOf({ tenant, scopes }) {
      const name = `${tenant} ${scopes.join(' ')}`;
      const headers = known.get(name) ?? makeHeaders(tenant, scopes);
      known.set(name, headers);
      return headers;
    },
    runToken: (scopes) =>
      services.runTokens.mint({
        caller: identified('ann', 'ours', scopes),
        sessionId: session.sessionId,
        seconds: 3600,
      }),
    send: (method, place, headers = {}, body) => sendRaw({ address, agent, method, place, headers, body }),
    async world() {
      const tables = await database.all(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'api_keys' ORDER BY name",
        [],
        ({ name }) => String(name),
      );
      const rows: Record<string, unknown> = {};
      for (const table of tables) rows[table] = await database.all(`SELECT * FROM "${table}"`, [], (row) => row);
      return {
        rows,
        files: { ...filesBelow(path.join(home, 'notebooks')), ...filesBelow(path.join(artifactDir, 'blobs')) },
        beside: [fs.readdirSync(home).sort(), fs.readdirSync(artifactDir).sort()],
        sessions: services.sessions.list().map(({ sessionId, live }) => ({
          sessionId,
          notebook: live.notebook(),
          runs: live.runner.active(),
          held: services.holds.over(live.directory),
        })),
        credentials: services.credentials.settings.notebookCredentials,
        workers: services.remote.registry.current(),
      };
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await services.sessions.closeAll('shutdown');
      app.server.closeAllConnections();
      await app.close();
      await services.close();
      fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function filesBelow(folder: string): Record<string, string> {
  const files = fs.existsSync(folder)
    ? fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    : [];
  const digest = (file: string): string => createHash('sha256').update(fs.readFileSync(file)).digest('hex');
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => path.join(parentPath, name))
      .sort()
      .map((file) => [file, digest(file)]),
  );
}

interface RawRequest {
  readonly address: string;
  readonly agent: http.Agent;
  readonly method: string;
  readonly place: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

function sendRaw({ address, agent, method, place, headers, body }: RawRequest): Promise<ShortAnswer> {
  const { hostname, port } = new URL(address);
  const described = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body ?? '')) };
  const sent = body === undefined ? headers : { ...described, ...headers };
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, path: place, method, headers: sent, agent }, (response) => {
      const status = response.statusCode ?? 0;
      // What goes on for ever is known by its beginning.
      if (response.headers['content-type']?.startsWith('text/event-stream')) {
        resolve({ status, text: '' });
        request.destroy();
        return;
      }
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status, text: Buffer.concat(chunks).toString() }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}
