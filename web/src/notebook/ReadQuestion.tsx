// A run that would bring much data here: what each cell reads, how much of it is not here yet, and what that costs.
import { bytes, labelOf } from '../state/index.ts';
import { Button, Dialog } from '../ui/index.ts';
import { useModel, useNotebook } from './context.ts';
import { confirmReads } from './running.ts';

export function ReadQuestion() {
  const session = useNotebook();
  const reads = useModel((model) => model.reads);
  if (!reads) return null;
  const { cells, message } = reads;
  const cost = cells.reduce((sum, read) => sum + read.cost, 0);
  const size = bytes(cells.reduce((sum, read) => sum + read.bytes_to_move, 0));
  const dismiss = () => session.store.send({ kind: 'dismissed', what: 'reads' });
  return (
    <Dialog title="Read this much?" onClose={dismiss} wide>
      <div className="reads">
        <p>
          This run would read <b>{size}</b> that are not here yet
          {cost > 0 && (
            <>
              , for about <b>${cost.toFixed(2)}</b>
            </>
          )}
          . Nothing has started.
        </p>
        {message !== undefined && <p>{message}</p>}
        <dl>
          {cells.map(({ cell_id, machine, inputs, bytes_to_move }) => (
            <div key={cell_id}>
              <dt>
                {labelOf(session.store.get(), cell_id)} <span className="reads-machine">on {machine}</span>{' '}
                <b>{bytes(bytes_to_move)}</b>
              </dt>
              {inputs.map(({ kind, name, uri, bytes: whole }) => (
                <dd key={`${kind} ${name}`}>
                  {kind} {name} <code>{uri}</code> {whole === null ? 'size unknown' : bytes(whole)}
                </dd>
              ))}
            </div>
          ))}
        </dl>
        <div className="question-actions">
          <Button look="primary" onClick={() => confirmReads(session)}>
            Read and run
          </Button>
          <Button look="quiet" onClick={dismiss}>
            Cancel
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
