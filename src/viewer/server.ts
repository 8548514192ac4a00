// What the viewer asks of a server: which notebooks are open, the state of one, pages and bytes of what cells show.
import { z } from 'zod';
import { type NotebookState, notebookState, sessionsBody } from '../protocol/index.ts';

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

/** Nobody answers there, at least not now. */
export class ServerAway extends Error {
  override readonly name = 'ServerAway';
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
const refusalShape = z.object({ detail: z.union([z.string(), z.looseObject({ message: z.string() })]) });

export function createViewedServer(address: string, headers: Readonly<Record<string, string>>): ViewedServer {
  const base = address.replace(/\/+$/, '');

  async function ask(method: string, place: string, json?: object): Promise<Response> {
    const answer = await fetch(`${base}/v1/notebooks${place}`, {
      method,
      headers: { ...headers, ...(json ? { 'content-type': 'application/json' } : {}) },
      ...(json ? { body: JSON.stringify(json) } : {}),
    }).catch(() => {
      throw new ServerAway(`${base} does not answer; start it with \`svc serve\`, or name another with --server`);
    });
    if (answer.ok) return answer;
    if (answer.status === 503) throw new ServerAway(`${base} does not take requests now; try again in a moment`);
    const { data } = refusalShape.safeParse(await answer.json().catch(() => null));
    const detail = data?.detail ?? `the server answered ${answer.status}`;
    throw new ServerRefused(typeof detail === 'string' ? detail : detail.message);
  }

  const tablePlace = ({ sessionId, cellId, uri, sort }: ShownTable, route: string, more: Record<string, string>) => {
    const order = sort === null ? {} : { sort_by: sort.column, sort_dir: sort.direction };
    const query = new URLSearchParams({ artifact_uri: uri, ...order, ...more });
    return `/${encodeURIComponent(sessionId)}/cells/${encodeURIComponent(cellId)}/data${route}?${query}`;
  };

  const bytesOf = async (answer: Response): Promise<Uint8Array> => new Uint8Array(await answer.arrayBuffer());

  return {
    address: base,
    headers,
    sessions: async () => sessionsBody.parse(await (await ask('GET', '/sessions')).json()).sessions,
    open: async (path) => notebookState.parse(await (await ask('POST', '/open', { path })).json()),
    async page(of, offset, limit) {
      const place = tablePlace(of, '', { offset: String(offset), limit: String(limit) });
      const page = pageShape.parse(await (await ask('GET', place)).json());
      return page.pageable ? page : null;
    },
    csv: async (of) => bytesOf(await ask('GET', tablePlace(of, '/export', { fmt: 'csv' }))),
    output: async (sessionId, cellId, index) =>
      bytesOf(
        await ask('GET', `/${encodeURIComponent(sessionId)}/cells/${encodeURIComponent(cellId)}/outputs/${index}/blob`),
      ),
  };
}
