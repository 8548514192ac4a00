// What a version was made from, as a picture and as a tree: itself first, below each step what that read.
import { useEffect, useMemo, useState } from 'react';
import { messageOf } from '../api/index.ts';
import { type Lineage as Found, type RegisteredName, readLineage } from '../api/registry.ts';
import { IconButton, Message } from '../ui/index.ts';
import { intoSight } from './intoSight.ts';
import { LineagePicture } from './LineagePicture.tsx';

type Nodes = ReadonlyMap<string, Found['nodes'][number]>;
type Names = ReadonlyMap<string, string>;

export function Lineage(props: { of: RegisteredName; names: readonly RegisteredName[]; onClose: () => void }) {
  const { of, names, onClose } = props;
  const named = useMemo(() => new Map(names.map(({ uri, name }) => [uri, name])), [names]);
  const [found, setFound] = useState<Found | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const gone = new AbortController();
    readLineage(of.artifact_id, of.version, gone.signal).then(setFound, (error: unknown) => {
      if (!gone.signal.aborted) setProblem(messageOf(error));
    });
    return () => gone.abort();
  }, [of]);
  return (
    <section
      ref={intoSight}
      className="registry-part registry-lineage"
      tabIndex={-1}
      aria-label={`Where ${of.name} comes from`}
    >
      <header>
        <h2>Where {of.name} comes from</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      {problem !== null && <Message tone="error">{problem}</Message>}
      {found && found.edges.length > 0 && <LineagePicture of={found} names={named} />}
      {found && (
        <ul>
          <StepLine step={treeOf(found)} nodes={new Map(found.nodes.map((node) => [node.uri, node]))} names={named} />
        </ul>
      )}
    </section>
  );
}

interface Step {
  readonly uri: string;
  readonly inputs: readonly Step[];
  /** What it was made from stands further up already. */
  readonly isTold: boolean;
}

/** A step that several read is told in full under the first of them: many ways through few steps would never end. */
function treeOf({ artifact_uri, edges }: Found): Step {
  const inputs = Map.groupBy(edges, ({ to_uri }) => to_uri);
  const told = new Set<string>();
  function step(uri: string): Step {
    const read = [...new Set(inputs.get(uri)?.map(({ from_uri }) => from_uri))];
    const isTold = told.has(uri) && read.length > 0;
    told.add(uri);
    return { uri, isTold, inputs: isTold ? [] : read.map(step) };
  }
  return step(artifact_uri);
}

function StepLine({ step: { uri, inputs, isTold }, nodes, names }: { step: Step; nodes: Nodes; names: Names }) {
  const node = nodes.get(uri);
  const name = names.get(uri);
  return (
    <li>
      {name !== undefined && <b>{name} </b>}
      <code>{uri}</code>
      {node && node.type !== 'artifact' && <small> {node.type}</small>}
      {node?.transform_ref != null && <small> by {node.transform_ref}</small>}
      {node?.principal != null && <small> of {node.principal}</small>}
      {isTold && <small> as above</small>}
      {!isTold && node !== undefined && node.source !== '' && (
        <details>
          <summary>Source</summary>
          <pre>{node.source}</pre>
        </details>
      )}
      {inputs.length > 0 && (
        <ul>
          {inputs.map((input) => (
            <StepLine key={input.uri} step={input} nodes={nodes} names={names} />
          ))}
        </ul>
      )}
    </li>
  );
}
