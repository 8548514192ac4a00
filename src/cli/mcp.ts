// `svc mcp`: the Model Context Protocol over stdin and stdout, for agents that start their servers themselves.
import { createAgentActivities } from '../desk/index.ts';
import { anyone } from '../identity/index.ts';
import { createAgentServices, createMcpServer } from '../mcp/index.ts';
import { createOffline } from '../server/offline.ts';
import { loadSettings } from '../settings/index.ts';

export async function serveAgents(): Promise<void> {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const { settings } = loadSettings({ env: process.env, cwd: process.cwd() });
  const offline = createOffline(settings);
  const services = createAgentServices(
    { settings, ...offline, activities: createAgentActivities(), broadcast: () => {}, stand: () => {} },
    anyone,
  );
  await serveStdio(() => createMcpServer(services));
  process.stdin.on('end', () => void offline.close().then(() => process.exit(0)));
}
