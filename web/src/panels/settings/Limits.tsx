// What the operator of this server allows: it is shown here and changed in the settings of the server.
import { useEffect, useState } from 'react';
import { messageOf, readTimeouts } from '../../api/index.ts';
import { duration } from '../../state/index.ts';
import { Message } from '../../ui/index.ts';

type Limits = Awaited<ReturnType<typeof readTimeouts>>;

const shown: readonly (readonly [words: string, variable: string, seconds: (limits: Limits) => number])[] = [
  ['Plan of a table', 'SVC_PLAN_TIMEOUT_SECONDS', ({ planning }) => planning.plan_timeout_seconds],
  ['Scan of a table', 'SVC_SCAN_TIMEOUT_SECONDS', ({ scanning }) => scanning.scan_timeout_seconds],
  ['Fetch of a page', 'SVC_FETCH_TIMEOUT_SECONDS', ({ fetching }) => fetching.fetch_timeout_seconds],
  ['Wait of a small query', 'SVC_INTERACTIVE_QUEUE_TIMEOUT', ({ qos_queue }) => qos_queue.interactive_queue_timeout],
  ['Wait of a large query', 'SVC_BULK_QUEUE_TIMEOUT', ({ qos_queue }) => qos_queue.bulk_queue_timeout],
  ['Answer of an object store', 'SVC_S3_REQUEST_TIMEOUT_SECONDS', ({ s3 }) => s3.s3_request_timeout_seconds],
];

export function Limits() {
  const [limits, setLimits] = useState<Limits | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const leaving = new AbortController();
    readTimeouts(leaving.signal).then(
      setLimits,
      (error: unknown) => leaving.signal.aborted || setProblem(messageOf(error)),
    );
    return () => leaving.abort();
  }, []);
  if (problem !== null) return <Message tone="error">{problem}</Message>;
  if (limits === null) return null;
  return (
    <>
      <dl className="facts">
        {shown.map(([words, variable, seconds]) => (
          <Fact key={variable} words={words} variable={variable} value={duration(seconds(limits) * 1000)} />
        ))}
      </dl>
      <p className="panel-note">The operator sets them; point at one to see the name of its setting.</p>
    </>
  );
}

const Fact = ({ words, variable, value }: { words: string; variable: string; value: string }) => (
  <>
    <dt title={variable}>{words}</dt>
    <dd>{value}</dd>
  </>
);
