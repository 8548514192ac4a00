// One result for everybody who has the link; before that, what they could read then.
import { useState } from 'react';
import type { PreflightBody } from '../../../src/protocol/index.ts';
import { address, messageOf } from '../api/index.ts';
import { preflight, publish, type ResultName, withdraw } from '../api/publishing.ts';
import { useModel, useNotebook } from '../notebook/context.ts';
import { useObjection } from '../notebook/rights.ts';
import { labelOf, type NotebookModel } from '../state/index.ts';
import { Button, Field, Message } from '../ui/index.ts';
import { Link } from './Link.tsx';

interface Result extends ResultName {
  readonly words: string;
}

interface Published {
  readonly id: string;
  /** Null where it was published before. */
  readonly link: string | null;
}

export function PublishResult() {
  const toWrite = useObjection('notebook:write');
  const objection = useObjection('artifacts:publish') ?? toWrite;
  if (objection === null) return <Publishing />;
  return (
    <section>
      <h3>Publish a result</h3>
      <p>{objection}</p>
    </section>
  );
}

function Publishing() {
  const { sessionId, store } = useNotebook();
  const model = useModel((now) => now);
  const results = resultsOf(model);
  /** By its cell and name: cells that run meanwhile change the list. */
  const [chosen, setChosen] = useState<string | null>(null);
  const [title, setTitle] = useState('');
  const [look, setLook] = useState<{ readonly of: string; readonly found: PreflightBody } | null>(null);
  const [published, setPublished] = useState<Published | null>(null);
  const [isWithdrawn, setWithdrawn] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const result = results.find((one) => keyOf(one) === chosen) ?? results[0];

  /** One at a time: published twice, the link of the first time would not be told again. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  }

  if (!result)
    return (
      <section>
        <h3>Publish a result</h3>
        <p>No cell has a stored result yet: run one first.</p>
      </section>
    );
  const name = { cell_id: result.cell_id, variable: result.variable };
  // What is published is what was looked at.
  const looked = look !== null && look.of === keyOf(result) ? look.found : null;
  return (
    <section>
      <h3>Publish a result</h3>
      <div className="share-publish">
        <Field label="Result">
          {(id) => (
            <select
              id={id}
              className="input"
              disabled={isBusy}
              value={keyOf(result)}
              onChange={(event) => {
                setChosen(event.target.value);
                setLook(null);
                setPublished(null);
                setWithdrawn(false);
              }}
            >
              {results.map((one) => (
                <option key={keyOf(one)} value={keyOf(one)}>
                  {one.words}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Title">
          {(id) => (
            <input
              id={id}
              className="input"
              placeholder={store.get().name}
              value={title}
              onChange={(event) => setTitle(event.target.value)}
            />
          )}
        </Field>
      </div>
      {looked === null && published === null && (
        <Button
          onClick={() =>
            void attempt(async () => {
              setChosen(keyOf(result));
              setLook({ of: keyOf(result), found: await preflight(sessionId, name) });
            })
          }
        >
          See what would be public
        </Button>
      )}
      {looked !== null && published === null && (
        <>
          <Exposed found={looked} />
          <Button
            look="danger"
            onClick={() =>
              void attempt(async () => {
                const { id, url } = await publish(sessionId, name, title.trim() || store.get().name);
                setPublished({ id, link: url === null ? null : address(url) });
                setWithdrawn(false);
              })
            }
          >
            Publish for everybody who has the link
          </Button>
        </>
      )}
      {published?.link === null && (
        <p>
          It is published already. Its link was shown when that was done, and is not kept. Withdraw it and publish it
          again for a new link.
        </p>
      )}
      {published?.link != null && (
        <Link
          label="Link to the publication"
          hint="Shown only once: copy it now. Anybody who has it can read the result."
          value={published.link}
        />
      )}
      {published !== null && (
        <Button
          onClick={() =>
            void attempt(async () => {
              await withdraw(published.id);
              setPublished(null);
              setWithdrawn(true);
            })
          }
        >
          Withdraw it
        </Button>
      )}
      {isWithdrawn && <p role="status">Withdrawn: its link shows the result to nobody any more.</p>}
      {problem !== null && <Message tone="error">{problem}</Message>}
    </section>
  );
}

const keyOf = ({ cell_id, variable }: ResultName): string => `${cell_id} ${variable}`;

function Exposed({ found: { exposes } }: { found: PreflightBody }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keys too
    <section className="share-exposed" tabIndex={0} aria-label="What would be public">
      <p>
        The result itself, and of {exposes.length === 1 ? 'the step' : `the ${exposes.length} steps`} that led to it the
        source, the environment and what was read:
      </p>
      <ol>
        {exposes.map(({ uri, type, source, principal }) => (
          <li key={uri}>
            {type === 'artifact' ? `Computed${principal === null ? '' : ` by ${principal}`}` : uri}
            {source !== '' && <pre>{source}</pre>}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** What cells have stored, the last cell first: it is most often the one that is meant. */
function resultsOf(model: NotebookModel): readonly Result[] {
  return model.order.toReversed().flatMap((id): Result[] => {
    const cell = model.cells.get(id);
    if (!cell) return [];
    const label = labelOf(model, id);
    const shown = cell.displays.flatMap((display, index): Result[] =>
      typeof display.artifact_uri === 'string'
        ? [
            {
              cell_id: id,
              variable: `__display__${index}`,
              words: `${label}: what it shows${index === 0 ? '' : ` (${index + 1})`}`,
            },
          ]
        : [],
    );
    const values = Object.keys(cell.artifactUris).map((name) => ({
      cell_id: id,
      variable: name,
      words: `${label}: ${name}`,
    }));
    return [...shown, ...values.filter(({ variable }) => !variable.startsWith('__'))];
  });
}
