// An open notebook with its socket: what a person at a browser does, with a stopwatch.
import type { Context } from '../line.ts';
import { summarise } from '../statistics.ts';
import { placeNotebook, type Wanted } from './place.ts';
import { type StartNotebookServer, startNotebookServer } from './server.ts';
import { type Arrival, type BenchSocket, ofCell, openBenchSocket, typed, withStatus } from './socket.ts';

export interface BenchSession {
  readonly socket: BenchSocket;
  readonly directory: string;
  readonly port: number;
  readonly sessionId: string;
  /** The id of a cell; negative places count from the end. */
  cell(place: number): string;
  /** Sends a frame; resolves with the milliseconds until the cell has this status. */
  untilStatus(cellId: string, status: string, type: string, payload?: object): Promise<number>;
}

export async function openBenchSession(
  context: Context,
  wanted: Omit<Wanted, 'name'>,
  start: StartNotebookServer = startNotebookServer,
): Promise<BenchSession> {
  const server = await start(context);
  const { directory, cellIds } = await placeNotebook(server, { name: 'Measured', ...wanted });
  const { session_id } = await server.open(directory);
  const socket = await openBenchSocket(server.port, session_id);
  return {
    socket,
    directory,
    port: server.port,
    sessionId: session_id,
    cell(place) {
      const id = cellIds.at(place);
      if (id === undefined) throw new RangeError(`There is no cell ${place}`);
      return id;
    },
    untilStatus(cellId, status, type, payload = { cell_id: cellId }) {
      const arrival = socket.next(typed('cell_status'), ofCell(cellId), withStatus(status));
      return timed(arrival, () => socket.send(type, payload));
    },
  };
}

/** The milliseconds from what starts it to the arrival. */
export async function timed(arrival: Promise<Arrival>, start: () => void): Promise<number> {
  const began = performance.now();
  start();
  return (await arrival).at - began;
}

/** As between two keys of a person: the next process is forked and parked meanwhile. */
export const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

/** The median of a few, for work that is too short to be told from the noise of the machine once. */
export async function medianOf(times: number, measure: () => Promise<number>): Promise<number> {
  const samples: number[] = [];
  for (let time = 0; time < times; time++) samples.push(await measure());
  return summarise(samples).median;
}
