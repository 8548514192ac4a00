// Every route as a server describes it, asked of one that is started for the purpose.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startServer } from '../../src/server/index.ts';
import { loadSettings } from '../../src/settings/index.ts';
import type { JsonSchema } from './types.ts';

export interface Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly parameters?: readonly { in: string; name: string; required?: boolean; schema: JsonSchema }[];
  readonly requestBody?: { content: Record<string, { schema?: JsonSchema }> };
  readonly responses: Record<string, { content?: Record<string, { schema?: JsonSchema }> }>;
}

export interface Described {
  readonly paths: Record<string, Record<string, Operation>>;
}

export async function describedRoutes(): Promise<Described['paths']> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-describe-'));
  const env = {
    SVC_PORT: '0',
    SVC_LOG_LEVEL: 'error',
    SVC_ARTIFACT_DIR: path.join(home, 'artifacts'),
    SVC_NOTEBOOK_STORAGE_DIR: home,
  };
  const server = await startServer(loadSettings({ env, cwd: home }).settings);
  try {
    const document: Described = JSON.parse(await (await fetch(`${server.address}/openapi.json`)).text());
    return document.paths;
  } finally {
    await server.stop();
    fs.rmSync(home, { recursive: true, force: true });
  }
}
