// What the viewer asks of a server: which notebooks are open, the state of one, pages and bytes of what cells show.
import { z } from 'zod';
import { createTransport, type SendOptions, ServerAway, SvcError } from '../../clients/typescript/src/transport.ts';
import { type NotebookState, notebookState, sessionsBody } from '../protocol/index.ts';

export { ServerAway };

export interface TableSort {
  readonly column: string;
  readonly direction: 'asc' | 'desc';
}

export interface TablePage {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly total: number;
}

export interface ShownTable {
  readonly sessionId: string;
  readonly cellId: string;
  readonly uri: string;
  readonly sort: TableSort | null;
}

export interface ViewedServer {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  sessions(): Promise<z.infer<typeof sessionsBody>['sessions']>;
  open(directory: string): Promise<NotebookState>;
  /** Null for a table that is not kept in a form that has pages. */
  page(of: ShownTable, offset: number, limit: number): Promise<TablePage | null>;
  csv(of: ShownTable): Promise<Uint8Array>;
  output(sessionId: string, cellId: string, index: number): Promise<Uint8Array>;
}

/** What a server refused, in its words. */
export class ServerRefused extends Error {
  override readonly name = 'ServerRefused';
}

const pageShape = z.discriminatedUnion('pageable', [
  z.object({ pageable: z.literal(false) }),
  z.object({
    pageable: z.literal(true),
    columns: z.array(z.string()),
    rows: z.array(z.array(z.unknown())),
    total: z.number(),
  }),
]);

export function createViewedServer(address: string, headers: Readonly<Record<string, string>>): ViewedServer {
  const { base, send } = createTransport({ baseUrl: address, headers, retries: 0 });

  /** A route below `/v1/notebooks`. A server that cannot answer now is away: it will be back. */
  async function ask(method: string, route: string, options?: SendOptions): Promise<Response> {
    try {
      return await send(`${method} /v1/notebooks${route}`, options);
    } catch (error) {
      if (error instanceof ServerAway)
        throw new ServerAway(`${base} does not answer; start it with \`svc serve\`, or name another with --server`);
      if (!(error instanceof SvcError)) throw error;
      if (error.status === 503) throw new ServerAway(`${base} does not take requests now; try again in a moment`);
      throw new ServerRefused(error.reason);
    }
  }

  function askTable(route: string, { sessionId, cellId, uri, sort }: ShownTable, more: object): Promise<Response> {
    const order = sort === null ? {} : { sort_by: sort.column, sort_dir: sort.direction };
    const path = { session_id: sessionId, cell_id: cellId };
    const query = { artifact_uri: uri, ...order, ...more };
    return ask('GET', `/{session_id}/cells/{cell_id}/data${route}`, { path, query });
  }

  const bytesOf = async (answer: Response): Promise<Uint8Array> => new Uint8Array(await answer.arrayBuffer());

  return {
    address: base,
    headers,
    sessions: async () => sessionsBody.parse(await (await ask('GET', '/sessions')).json()).sessions,
    open: async (path) => notebookState.parse(await (await ask('POST', '/open', { body: { path } })).json()),
    async page(of, offset, limit) {
      const page = pageShape.parse(await (await askTable('', of, { offset, limit })).json());
      return page.pageable ? page : null;
    },
    csv: async (of) => bytesOf(await askTable('/export', of, { fmt: 'csv' })),
    async output(sessionId, cellId, index) {
      const path = { session_id: sessionId, cell_id: cellId, index };
      return bytesOf(await ask('GET', '/{session_id}/cells/{cell_id}/outputs/{index}/blob', { path }));
    },
  };
}
