// A new notebook: how soon its page can be shown, and how soon its environment can run a cell. uv has the packages.
import { notebookState } from '../../src/protocol/index.ts';
import { kept, type Line } from '../line.ts';
import { startNotebookServer } from '../notebooks/server.ts';

const server = kept(startNotebookServer);
let created = 0;

const newName = (): string => `New ${++created}`;

export const createAnswer: Line = {
  name: 'create a notebook → answer',
  unit: 'ms',
  budget: { atMost: 30 },
  onlyFull: true,
  warmUp: true,
  async ours(context) {
    const { post, prepared, close } = await server(context);
    const { milliseconds, text } = await post('/v1/notebooks/create', { parent_path: '.', name: newName() });
    const created = notebookState.parse(JSON.parse(text));
    // The next one is not made beside the work on this one's environment.
    await prepared(created);
    await close(created.session_id);
    return milliseconds;
  },
};

export const createReady: Line = {
  name: 'create a notebook → environment ready',
  unit: 'ms',
  budget: { atMost: 600 },
  warmUp: true,
  async ours(context) {
    const { create, prepared, close } = await server(context);
    const began = performance.now();
    const created = await create(newName());
    await prepared(created);
    const milliseconds = performance.now() - began;
    await close(created.session_id);
    return milliseconds;
  },
};
