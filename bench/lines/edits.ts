// An edit in the middle of a notebook, until everybody has its new graph. The text is on disk by then.
import { kept, type Line, type Measure } from '../line.ts';
import { type StartNotebookServer, startNotebookServer, startPeerServer } from '../notebooks/server.ts';
import { medianOf, openBenchSession, timed } from '../notebooks/session.ts';
import { ofCell, typed } from '../notebooks/socket.ts';
import { chapters } from '../notebooks/sources.ts';

let edits = 0;

function measuring(cells: number, start: StartNotebookServer): Measure {
  const open = kept((context) => openBenchSession(context, { sources: chapters(cells) }, start));
  return async (context) => {
    const { socket, cell } = await open(context);
    const id = cell(cells / 2 + 5);
    return medianOf(7, async () => {
      const acknowledged = socket.next(typed('cell_status'), ofCell(id));
      const milliseconds = await timed(socket.next(typed('dag_update')), () =>
        socket.send('cell_source_update', { cell_id: id, source: `edited = x0 + ${++edits}` }),
      );
      await acknowledged;
      return milliseconds;
    });
  };
}

const editAmong = (cells: number, atMost: number): Line => ({
  name: `edit → dag_update among ${cells} cells`,
  unit: 'ms',
  budget: { atMost },
  warmUp: true,
  ours: measuring(cells, startNotebookServer),
});
/** Beyond these the peer takes a second an edit. */
const besidePeer = (cells: number, atMost: number): Line => ({
  ...editAmong(cells, atMost),
  peers: { 'strata-notebook': measuring(cells, startPeerServer) },
});

export const edit50: Line = { ...besidePeer(50, 3), onlyFull: true };
export const edit200 = besidePeer(200, 3);
export const edit500: Line = { ...editAmong(500, 5), onlyFull: true };
export const edit2000: Line = { ...editAmong(2000, 15), onlyFull: true };
