// A new notebook: how soon its page can be shown, and how soon its environment can run a cell. uv has the packages.
import { kept, type Line, type Measure } from '../line.ts';
import { type StartNotebookServer, startNotebookServer, startPeerServer } from '../notebooks/server.ts';

let created = 0;

const newName = (): string => `New ${++created}`;

function answerOf(start: StartNotebookServer): Measure {
  const server = kept(start);
  return async (context) => {
    const { create, prepared, close } = await server(context);
    const created = await create(newName());
    // The next one is not made beside the work on this one's environment.
    await prepared(created);
    await close(created.session_id);
    return created.milliseconds;
  };
}

function readyOf(start: StartNotebookServer): Measure {
  const server = kept(start);
  return async (context) => {
    const { create, prepared, close } = await server(context);
    const began = performance.now();
    const created = await create(newName());
    await prepared(created);
    const milliseconds = performance.now() - began;
    await close(created.session_id);
    return milliseconds;
  };
}

export const createAnswer: Line = {
  name: 'create a notebook → answer',
  unit: 'ms',
  budget: { atMost: 30 },
  onlyFull: true,
  warmUp: true,
  ours: answerOf(startNotebookServer),
  peers: { 'strata-notebook': answerOf(startPeerServer) },
};

export const createReady: Line = {
  name: 'create a notebook → environment ready',
  unit: 'ms',
  budget: { atMost: 600 },
  warmUp: true,
  ours: readyOf(startNotebookServer),
  peers: { 'strata-notebook': readyOf(startPeerServer) },
};
