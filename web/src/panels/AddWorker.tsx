// A worker for this notebook, by the address that it serves at or by ssh to the machine it shall be started on; or one for all
// notebooks of a shared server, by its address.
import { type FormEvent, useState } from 'react';
import {
  addForAll,
  connectBySsh,
  defineBeside,
  disconnectSsh,
  messageOf,
  readWorkers,
  removeForAll,
  type Worker,
} from '../api/index.ts';
import { useNotebook } from '../notebook/context.ts';
import { Button, Field, Message, Progress } from '../ui/index.ts';
import { type NewPlace, placeIn } from './newWorker.ts';

/** Longer than the server waits for a worker. */
const lookMilliseconds = 15_000;

interface AddWorkerProps {
  readonly own: readonly Worker[];
  readonly isForAll: boolean;
  readonly onAdded: () => void;
}

export function AddWorker({ own, isForAll, onAdded }: AddWorkerProps) {
  const { sessionId, undo } = useNotebook();
  const [address, setAddress] = useState('');
  const [name, setName] = useState('');
  const [tokenVariable, setTokenVariable] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isAdding, setAdding] = useState(false);
  const place = placeIn(address);

  const addOne = (added: { name: string; config: { url: string } }): Promise<unknown> =>
    isForAll ? addForAll(added) : defineBeside(sessionId, added.name, added);
  const takeAway = (called: string): Promise<unknown> =>
    isForAll ? removeForAll(called) : defineBeside(sessionId, called, null);

  async function add(where: NewPlace, called: string): Promise<void> {
    if (own.some((worker) => worker.name === called))
      throw new Error(
        `${isForAll ? 'This server' : 'This notebook'} has a worker called ${called} already: remove it first, or write another name.`,
      );
    if (where.kind === 'ssh' && isForAll)
      throw new Error('Start it on that machine (svc-worker), and write the address that it serves at.');
    if (where.kind === 'ssh') return addBySsh(where.target, called);
    const token = tokenVariable.trim() === '' ? {} : { token_env: tokenVariable.trim() };
    const added = { name: called, config: { url: where.url, ...token } };
    await undo.inTurn(async () => {
      await addOne(added);
      undo.did(
        `adding ${called}`,
        async () => void (await takeAway(called)),
        async () => void (await addOne(added)),
      );
    });
  }

  /** Takes a while: cells are worked on meanwhile. */
  async function addBySsh(target: string, called: string): Promise<void> {
    await connectBySsh(sessionId, target, called);
    undo.did(
      `adding ${called}`,
      () => disconnectSsh(sessionId, called),
      () => connectBySsh(sessionId, target, called),
    );
  }

  /** It may be no worker that answers there: whoever has just written the address hears of it. */
  async function tellHealth(called: string): Promise<void> {
    const { workers } = await readWorkers(sessionId, AbortSignal.timeout(lookMilliseconds));
    const { last_error = null } = workers.find((worker) => worker.name === called) ?? {};
    if (last_error !== null) setProblem(`${called} is added, but no cell can run there now: ${last_error}.`);
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if ('problem' in place) return setProblem(place.problem);
    setAdding(true);
    setProblem(null);
    try {
      const called = name.trim() || place.name;
      await add(place, called);
      setAddress('');
      setName('');
      setTokenVariable('');
      onAdded();
      await tellHealth(called);
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setAdding(false);
    }
  }

  const isSsh = !isForAll && !('problem' in place) && place.kind === 'ssh';
  return (
    <form className="stack" aria-label="Add a worker" onSubmit={(event) => void submit(event)}>
      <h3>{isForAll ? 'Add a worker for all notebooks' : 'Add a worker'}</h3>
      <Field
        label="Where"
        hint={
          isForAll
            ? 'The address that it serves at'
            : 'Its address, or user@host to start one there by ssh (user@host:22 with a port)'
        }
      >
        {(id, hintId) => (
          <input
            id={id}
            aria-describedby={hintId}
            className="input"
            placeholder="https://gpu.example.org:9000"
            value={address}
            onChange={(event) => {
              setAddress(event.target.value);
              setProblem(null);
            }}
          />
        )}
      </Field>
      <Field label="Name" hint="Cells ask for it: # @worker name">
        {(id, hintId) => (
          <input
            id={id}
            aria-describedby={hintId}
            className="input"
            placeholder={'problem' in place ? 'gpu' : place.name}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      {!isSsh && (
        <Field label="Token" hint="The variable of the server’s environment that holds it, if it wants one">
          {(id, hintId) => (
            <input
              id={id}
              aria-describedby={hintId}
              className="input"
              placeholder="GPU_WORKER_TOKEN"
              value={tokenVariable}
              onChange={(event) => setTokenVariable(event.target.value)}
            />
          )}
        </Field>
      )}
      {problem !== null && <Message tone="error">{problem}</Message>}
      {isAdding && isSsh && <Progress value={null} label="Starting a worker there" />}
      <Button type="submit" disabled={isAdding || address.trim() === ''}>
        Add
      </Button>
    </form>
  );
}
