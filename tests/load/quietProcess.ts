// The quiet tenant in a process of its own that goes before all others, as if it had a machine of its own: what it waits is what the
// server makes it wait, and not what the clients of the load do to each other.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createRest } from '../kit/rest.ts';
import { createClient } from './client.ts';
import { type Documented, readDocumented } from './documented.ts';
import { type Fairness, type Quiet, workQuietly } from './fairness.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { LoadedNotebook } from './people/notebooks.ts';
import { putFirst } from './place.ts';

interface QuietWork {
  readonly address: string;
  readonly tenant: string;
  readonly principal: string;
  readonly notebook: Omit<LoadedNotebook, 'client'>;
  readonly uri: string;
}

interface QuietTold {
  readonly fairness: Fairness;
  readonly ledger: Ledger;
}

/** Which turn begins now, and whether the other floods in it; or that it is over. */
type ToQuiet = { readonly work: QuietWork } | { readonly turn: number; readonly flooded: boolean } | 'end';

export interface QuietOptions extends Omit<QuietWork, 'notebook'> {
  readonly notebook: LoadedNotebook;
}

export interface QuietProcess extends Quiet {
  turn(turn: number, flooded: boolean): void;
}

/** What it was answered goes to the ledger at the end. */
export async function startQuiet({ notebook, ...rest }: QuietOptions, ledger: Ledger): Promise<QuietProcess> {
  const { client: _client, ...facts } = notebook;
  // Detached: a session of its own.
  const child = fork(fileURLToPath(import.meta.url), ['quiet'], { detached: true, serialization: 'advanced' });
  const tell = (message: ToQuiet): void => void child.send(message);
  putFirst(child.pid);
  tell({ work: { ...rest, notebook: facts } });
  await once(child, 'message');
  return {
    turn: (turn, flooded) => tell({ turn, flooded }),
    async end() {
      const ended = once(child, 'exit');
      tell('end');
      const [told]: [QuietTold] = Object(await once(child, 'message'));
      child.disconnect();
      await ended;
      for (const list of ['counts', 'wrong'] as const)
        for (const [what, times] of told.ledger[list]) ledger[list].set(what, (ledger[list].get(what) ?? 0) + times);
      return told.fairness;
    },
  };
}

async function begin({ address, tenant, principal, notebook, uri }: QuietWork): Promise<void> {
  const ledger = createLedger();
  let documented: Documented | undefined;
  const client = createClient({
    address,
    tenant,
    principal,
    ledger,
    documented: () => documented,
    isOver: () => false,
  });
  documented = await readDocumented(createRest(address), client.headers, address);
  let now = { turn: 0, flooded: false };
  const quiet = workQuietly({ ...notebook, client }, uri, () => now, ledger);
  process.on('message', async (message: ToQuiet) => {
    if (message !== 'end') {
      if ('turn' in message) now = message;
      return;
    }
    const told: QuietTold = { fairness: await quiet.end(), ledger };
    client.close();
    process.send?.(told);
  });
  process.send?.('begun');
}

if (process.argv[2] === 'quiet')
  process.once('message', (message: ToQuiet) => {
    if (message !== 'end' && 'work' in message) void begin(message.work);
  });
