// An executor of transforms as others would write one: takes the multipart order, answers as the test says.
import { once } from 'node:events';
import http from 'node:http';
import { columnFromArray, tableFromColumns, tableToIPC } from '@uwdata/flechette';

export interface ReceivedPart {
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

export interface ReceivedOrder {
  readonly protocol: string | undefined;
  readonly authorization: string | undefined;
  /** As it stood in the request. */
  readonly metadata: string;
  readonly parts: readonly ReceivedPart[];
}

export interface TestExecutor extends AsyncDisposable {
  readonly url: string;
  readonly orders: readonly ReceivedOrder[];
  /** Resolves with the next order. */
  next(): Promise<ReceivedOrder>;
}

type Answer = (order: ReceivedOrder, response: http.ServerResponse) => void;

/** `n` as one column of an Arrow stream. */
export function arrowOf(numbers: readonly number[]): Uint8Array {
  const bytes = tableToIPC(tableFromColumns({ n: columnFromArray([...numbers]) }), { format: 'stream' });
  if (!bytes) throw new Error('Nothing was encoded.');
  return bytes;
}

export async function startExecutor(answer: Answer): Promise<TestExecutor> {
  const orders: ReceivedOrder[] = [];
  const waiting: ((order: ReceivedOrder) => void)[] = [];
  const server = http.createServer(async (request, response) => {
    const form = await new Response(Buffer.concat(await request.toArray()), {
      headers: { 'content-type': request.headers['content-type'] ?? '' },
    }).formData();
    const parts: ReceivedPart[] = [];
    let metadata = '';
    for (const [name, file] of form) {
      if (typeof file === 'string') continue;
      if (name === 'metadata') metadata = await file.text();
      parts.push({ name, type: file.type, size: file.size });
    }
    const order: ReceivedOrder = {
      protocol: String(request.headers['x-svc-executor-protocol']),
      authorization: request.headers.authorization,
      metadata,
      parts,
    };
    orders.push(order);
    waiting.shift()?.(order);
    answer(order, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    orders,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
