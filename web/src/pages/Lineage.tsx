// What a version was made from, as a picture and as a tree: itself first, below each step what that read.
import { useEffect, useMemo, useState } from 'react';
import { messageOf } from '../api/index.ts';
import { type Lineage as Found, type RegisteredName, readLineage } from '../api/registry.ts';
import { IconButton, Message } from '../ui/index.ts';
import { LineagePicture } from './LineagePicture.tsx';

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
    <section className="registry-part registry-lineage" aria-label={`Where ${of.name} comes from`}>
      <header>
        <h2>Where {of.name} comes from</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      {problem !== null && <Message tone="error">{problem}</Message>}
      {found && found.edges.length > 0 && <LineagePicture of={found} names={named} />}
      {found && (
        <ul>
          <Step found={found} uri={found.artifact_uri} seen={[]} />
        </ul>
      )}
    </section>
  );
}

/** A step that is read twice is shown under each of its readers; one that would lead back to itself ends there. */
function Step({ found, uri, seen }: { found: Found; uri: string; seen: readonly string[] }) {
  const node = found.nodes.find((one) => one.uri === uri);
  const inputs = seen.includes(uri) ? [] : inputsOf(found, uri);
  return (
    <li>
      <code>{uri}</code>
      {node && node.type !== 'artifact' && <small> {node.type}</small>}
      {node?.transform_ref != null && <small> by {node.transform_ref}</small>}
      {node?.principal != null && <small> of {node.principal}</small>}
      {node !== undefined && node.source !== '' && (
        <details>
          <summary>Source</summary>
          <pre>{node.source}</pre>
        </details>
      )}
      {inputs.length > 0 && (
        <ul>
          {inputs.map((input) => (
            <Step key={input} found={found} uri={input} seen={[...seen, uri]} />
          ))}
        </ul>
      )}
    </li>
  );
}

const inputsOf = ({ edges }: Found, uri: string): string[] => [
  ...new Set(edges.filter(({ to_uri }) => to_uri === uri).map(({ from_uri }) => from_uri)),
];
