// The Model Context Protocol: tools, resources and prompts over whatever carries them. A server is made for each request, for
// the caller that the request came from; what a tool does is told to whoever has the notebook open.
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { orTrouble, Refusal } from '../errors/index.ts';
import { holds } from '../identity/index.ts';
import { version } from '../version.ts';
import { prompts } from './prompts.ts';
import type { AgentServices } from './services.ts';
import { session, type Tool } from './tool.ts';
import { tools } from './tools.ts';

const quiet = new Set(['list_notebooks', 'discover_notebooks', 'status', 'note']);

/** `gone`: whoever asks has left or wants no answer any more, and with them the reason to go on. */
export function createMcpServer(services: AgentServices, gone?: AbortSignal): McpServer {
  const server = new McpServer(
    { name: 'svc-notebook', version },
    {
      instructions:
        'Notebooks whose cells form a graph by the names they define and read. Results are kept: a cell that did not change is not run again. Begin with list_notebooks, open_notebook or create_notebook.',
    },
  );
  for (const tool of tools) addTool(server, tool, services, gone);
  addResources(server, services);
  for (const { name, title, description, text } of prompts) {
    server.registerPrompt(
      name,
      { title, description, argsSchema: z.strictObject(session) },
      // Only the id of a notebook that is there goes into words that an agent obeys.
      ({ session_id }) =>
        forReader(services, `prompt ${name}`, async () => {
          services.desk(session_id);
          return { messages: [{ role: 'user', content: { type: 'text', text: text(session_id) } }] };
        }),
    );
  }
  return server;
}

function addTool(server: McpServer, tool: Tool, services: AgentServices, gone: AbortSignal | undefined): void {
  const { name, title, description, input, hints, scope } = tool;
  server.registerTool(
    name,
    { title, description, inputSchema: input, annotations: hints },
    async (args: unknown, { mcpReq }) => {
      if (!holds(services.caller, scope)) return failed(`'${name}' requires the ${scope} scope`);
      try {
        const unwanted = gone ? AbortSignal.any([gone, mcpReq.signal]) : mcpReq.signal;
        const { session_id: sessionId, cell_id: cellId, author = null, why = null } = namedIn.parse(args);
        const act = { tool: name, title, sessionId, cellId, changes: changesNotebook(tool), author, why };
        const result = await services.act(act, (stopped) =>
          tool.run(services, args, stopped ? AbortSignal.any([stopped, unwanted]) : unwanted),
        );
        announce(services, name, args);
        return {
          content: [{ type: 'text', text: JSON.stringify(result, null, 2) }, ...imagesIn(result)],
          structuredContent: { ...result },
        };
      } catch (error) {
        return failed(`Error executing tool ${name}: ${reasonOf(services, name, error)}`);
      }
    },
  );
}

const namedIn = z
  .object({
    session_id: z.string().optional(),
    cell_id: z.string().optional(),
    author: z.string().nullish(),
    why: z.string().nullish(),
  })
  .catch({});

/** Words to people change nothing, and closing is told by what it does. */
const changesNotebook = ({ name, scope }: Tool): boolean =>
  !scope.endsWith(':read') && name !== 'note' && name !== 'close_notebook';

const failed = (text: string) => ({ isError: true, content: [{ type: 'text' as const, text }] });

/** What the caller can do about it; anything else stays inside, and in the log. */
function reasonOf(services: AgentServices, what: string, reason: unknown): string {
  const error = orTrouble(reason);
  if (error instanceof Refusal) return typeof error.detail === 'string' ? error.detail : JSON.stringify(error.detail);
  if (error instanceof Error && error.constructor === Error) return error.message;
  services.log.warning('An agent was not served', { error, what });
  return 'something went wrong inside the server';
}

/** For what is no tool: the scope it asks for, and reasons as tools give them. */
async function forReader<T>(services: AgentServices, what: string, read: () => Promise<T>): Promise<T> {
  if (!holds(services.caller, 'notebook:read')) throw new Error(`The ${what} requires the notebook:read scope`);
  try {
    return await read();
  } catch (error) {
    throw new Error(reasonOf(services, what, error));
  }
}

function announce(services: AgentServices, name: string, args: unknown): void {
  const found = z.object({ session_id: z.string(), cell_id: z.string().optional() }).safeParse(args);
  if (!found.success || quiet.has(name) || name === 'close_notebook') return;
  const { session_id, cell_id } = found.data;
  services.announce(session_id, cell_id === undefined ? name : `${name} ${cell_id}`);
}

/** Pictures among the outputs of a cell are shown to the model as pictures. */
function imagesIn(result: object): { type: 'image'; data: string; mimeType: string }[] {
  const shape = z.object({ outputs: z.array(z.object({ preview: z.unknown() })) }).safeParse(result);
  if (!shape.success) return [];
  return shape.data.outputs.flatMap(({ preview }) => {
    const image = typeof preview === 'string' ? /^data:(image\/(?:png|jpeg));base64,(.+)$/s.exec(preview) : null;
    return image?.[1] && image[2] ? [{ type: 'image' as const, mimeType: image[1], data: image[2] }] : [];
  });
}

function addResources(server: McpServer, services: AgentServices): void {
  server.registerResource(
    'cell',
    new ResourceTemplate('svc://notebook/{session_id}/cell/{cell_id}', { list: undefined }),
    { title: 'A cell', description: 'Source, status and outputs of one cell', mimeType: 'application/json' },
    (uri, { session_id, cell_id }) =>
      forReader(services, 'resource', async () => {
        const cell = await services.desk(String(session_id)).cell(String(cell_id));
        return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(cell, null, 2) }] };
      }),
  );
  server.registerResource(
    'notebook',
    new ResourceTemplate('svc://notebook/{session_id}', { list: undefined }),
    { title: 'A notebook', description: 'All cells of an open notebook', mimeType: 'application/json' },
    (uri, { session_id }) =>
      forReader(services, 'resource', async () => {
        const cells = await services.desk(String(session_id)).cells();
        return {
          contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify({ cells }, null, 2) }],
        };
      }),
  );
}
