// Opening a notebook that this server has seen before, its environment in place; and the first open of a new server, which
// also starts the analysis process.
import path from 'node:path';
import { type Context, kept, type Line, type Measure } from '../line.ts';
import { placeNotebook } from '../notebooks/place.ts';
import {
  type NotebookServer,
  type StartNotebookServer,
  startNotebookServer,
  startPeerServer,
} from '../notebooks/server.ts';
import { chapters } from '../notebooks/sources.ts';

interface Place {
  readonly server: NotebookServer;
  readonly directory: string;
}

const placed = (cells: number, start: StartNotebookServer = startNotebookServer) =>
  kept(async (context: Context): Promise<Place> => {
    const server = await start(context);
    const { directory } = await placeNotebook(server, { name: 'Opened', sources: chapters(cells) });
    return { server, directory };
  });

async function openTime({ server, directory }: Place): Promise<number> {
  const { milliseconds, text } = await server.post('/v1/notebooks/open', { path: directory });
  await server.close(JSON.parse(text).session_id);
  return milliseconds;
}

function openAgainWith(cells: number, start: StartNotebookServer): Measure {
  const place = placed(cells, start);
  return async (context) => openTime(await place(context));
}

const openAgain = (cells: number, atMost: number): Line => ({
  name: `open a notebook of ${cells} cells again`,
  unit: 'ms',
  budget: { atMost },
  warmUp: true,
  ours: openAgainWith(cells, startNotebookServer),
});

export const openEmpty: Line = { ...openAgain(0, 30), name: 'open an empty notebook again', onlyFull: true };
export const open200: Line = {
  ...openAgain(200, 36),
  peers: { 'strata-notebook': openAgainWith(200, startPeerServer) },
};
export const open500 = openAgain(500, 80);
export const open2000: Line = { ...openAgain(2000, 250), onlyFull: true };

const before = placed(500);

export const openAfterRestart: Line = {
  name: 'open 500 cells on a new server',
  unit: 'ms',
  onlyFull: true,
  async ours(context) {
    const { directory } = await before(context);
    const server = await startNotebookServer(context, path.dirname(directory));
    const milliseconds = await openTime({ server, directory });
    await server.stop();
    return milliseconds;
  },
};
